//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){int t=threadIdx.x;a[t]=t;asm volatile("bar.sync 1, 32;");a[t]=a[(t+1)%64];}
