//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){for(int x:{1,2})a[x]=threadIdx.x;}
