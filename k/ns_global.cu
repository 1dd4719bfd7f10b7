//pass
//--blockDim=64 --gridDim=1
namespace f{__device__ const int off=0;}namespace g{__device__ const int off=1;}__global__ void k(int*a){int t=threadIdx.x;a[t]=a[t+g::off];}
