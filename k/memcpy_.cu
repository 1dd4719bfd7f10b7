//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a,int*b){memcpy(a+threadIdx.x,b,8);}
