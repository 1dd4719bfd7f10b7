//pass
//--blockDim=64 --gridDim=1
struct O{int*p;template<class T>__device__ void f(T v){p[0]=v;}};__global__ void k(O o){o.f(threadIdx.x);o.template f<int>(threadIdx.x);}
