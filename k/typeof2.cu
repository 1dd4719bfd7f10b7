//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){__typeof__(a) b=a;b[0]=threadIdx.x;}
