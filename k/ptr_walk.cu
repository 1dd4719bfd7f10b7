//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){int*p=a+threadIdx.x;*p++=1;*p=2;}
