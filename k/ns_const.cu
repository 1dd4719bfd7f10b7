//pass
//--blockDim=64 --gridDim=1
namespace f{const int off=0;}namespace g{const int off=1;}__global__ void k(int*a){int t=threadIdx.x;a[t]=a[t+g::off];}
