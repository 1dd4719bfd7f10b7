//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a,int n){int i=threadIdx.x;switch(n){case 1:i=0;case 2:a[i]=threadIdx.x;}}
