//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){int*p=(int*)malloc(4);p=a;p[0]=threadIdx.x;}
