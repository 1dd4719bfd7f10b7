//pass
//--blockDim=64 --gridDim=1
template<int N>__device__ void put(int*p){if constexpr(N==1)p[0]=threadIdx.x;else p[threadIdx.x]=1;}__global__ void k(int*a){put<1>(a);}
