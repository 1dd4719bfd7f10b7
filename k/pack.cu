//pass
//--blockDim=64 --gridDim=1
template<class...A>__device__ void put(int*p,A...a){p[0]=sizeof...(a);p[0]=threadIdx.x;}__global__ void k(int*a){put(a,1,2);}
