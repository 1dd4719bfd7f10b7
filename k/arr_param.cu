//pass
//--blockDim=64 --gridDim=1
__device__ void f(int p[64]){p[0]=threadIdx.x;}__global__ void k(int*a){f(a);}
