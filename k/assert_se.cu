//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){assert((a[0]=threadIdx.x)>0);}
