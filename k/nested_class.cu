//pass
//--blockDim=64 --gridDim=1
struct O{struct I{int*p;__device__ void f(){p[0]=threadIdx.x;}};I i;};__global__ void k(O o){o.i.f();}
