//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a,int n){int*e=a+n;for(int*p=a;p!=e;++p)*p=threadIdx.x;}
