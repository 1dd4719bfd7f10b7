//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){bool b=threadIdx.x;a[b]=threadIdx.x;}
