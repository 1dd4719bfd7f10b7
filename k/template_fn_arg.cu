//pass
//--blockDim=64 --gridDim=1
__device__ void f(int*p){p[0]=threadIdx.x;}template<void(*Q)(int*)>__device__ void ap(int*p){Q(p);}__global__ void k(int*a){ap<f>(a);}
