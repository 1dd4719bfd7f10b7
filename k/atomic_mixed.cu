//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){atomicAdd(a,1);if(threadIdx.x==3)a[0]=0;}
