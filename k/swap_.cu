//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a,int*b){int*p=a,*q=b;for(int i=0;i<3;i++){p[0]=threadIdx.x;int*t=p;p=q;q=t;}}
