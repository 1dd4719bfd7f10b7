//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){unsigned char t=threadIdx.x*8;a[t]=threadIdx.x;}
