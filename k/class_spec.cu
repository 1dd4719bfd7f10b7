//pass
//--blockDim=64 --gridDim=1
template<int N>struct P{__device__ static void put(int*p){}};template<>struct P<1>{__device__ static void put(int*p){p[0]=threadIdx.x;}};__global__ void k(int*a){P<1>::put(a);}
