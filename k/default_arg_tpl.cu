//pass
//--blockDim=64 --gridDim=1
template<class T,int N=0>__device__ void put(T*p){p[N]=threadIdx.x;}__global__ void k(int*a){put(a);}
