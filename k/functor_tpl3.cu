//pass
//--blockDim=64 --gridDim=1
struct W{__device__ void operator()(int*p)const{p[0]=threadIdx.x;}};template<class F>__device__ void ap(F f,int*p){f(p);}__global__ void k(int*a){ap(W{},a);}
