//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a,int n){int*p=0;if(n>0)p=a;if(p)p[0]=threadIdx.x;}
