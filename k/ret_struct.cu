//pass
//--blockDim=64 --gridDim=1
struct S{int i;};__device__ S f(int i){S s;s.i=i/2;return s;}__global__ void k(int*a){a[f(threadIdx.x).i]=threadIdx.x;}
