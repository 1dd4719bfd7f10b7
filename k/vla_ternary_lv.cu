//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a,int*b,int c){(c?a:b)[0]=threadIdx.x;}
