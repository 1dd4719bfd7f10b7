//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a,int n){switch(n){case 1:{a[threadIdx.x]=1;case 2:a[0]=threadIdx.x;}}}
