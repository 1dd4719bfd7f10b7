//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){if(threadIdx.x<10)return;a[0]=threadIdx.x;}
