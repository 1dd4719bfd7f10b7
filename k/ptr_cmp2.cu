//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a,int n){int*e=a+n;for(int*p=a+threadIdx.x;p<e;p+=32)*p=threadIdx.x;}
