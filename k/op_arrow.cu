//pass
//--blockDim=64 --gridDim=1
struct V{int*q;__device__ int*operator->(){return q;}__device__ int&operator*(){return q[0];}};__global__ void k(int*o,V v){*v=threadIdx.x;}
