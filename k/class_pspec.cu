//pass
//--blockDim=64 --gridDim=1
template<class A,int N>struct P{__device__ static void put(A*p){}};template<class A>struct P<A,1>{__device__ static void put(A*p){p[0]=threadIdx.x;}};__global__ void k(int*a){P<int,1>::put(a);}
