//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){int*p=new(a)int(threadIdx.x);}
