//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){decltype(a[0]) x=a[0];x=threadIdx.x;decltype((a[0])) y=a[0];y=threadIdx.x;}
