//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a,int n){if(n>1)[[likely]]{a[0]=threadIdx.x;}}
