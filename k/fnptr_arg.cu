//pass
//--blockDim=64 --gridDim=1
__device__ void f(int*p){p[0]=threadIdx.x;}__device__ void ap(void(*q)(int*),int*p){q(p);}__global__ void k(int*a){ap(f,a);}
