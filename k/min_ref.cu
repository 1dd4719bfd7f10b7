//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){int&r=a[0];r=threadIdx.x;}
