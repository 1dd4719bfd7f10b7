//pass
//--blockDim=64 --gridDim=1
template<int N>__device__ void put(int*p){}template<>__device__ void put<1>(int*p){p[0]=threadIdx.x;}__global__ void k(int*a){put<1>(a);}
