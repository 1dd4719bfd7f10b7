//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){unsigned t=threadIdx.x;a[t]=a[(unsigned char)(t+257u-256u+0u)];}
