//pass
//--blockDim=64 --gridDim=1
template<int N>constexpr int off=N;__global__ void k(int*a){int t=threadIdx.x;a[t]=a[t+off<1>];}
