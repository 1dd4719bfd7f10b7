//pass
//--blockDim=64 --gridDim=1
template<class...A>__device__ void put(A...a){((*a=threadIdx.x),...);}__global__ void k(int*a){put(a,a);}
