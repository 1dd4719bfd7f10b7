//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){int x=1,*p=a,y=(p[0]=threadIdx.x);}
