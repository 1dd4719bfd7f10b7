//pass
//--blockDim=64 --gridDim=1
namespace f{struct S{__device__ void put(int*p){}};}namespace g{struct S{__device__ void put(int*p){p[0]=threadIdx.x;}};}__global__ void k(int*a){g::S s;s.put(a);}
