//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a,int*b){swap(a,b);a[0]=threadIdx.x;}
