//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){
#pragma unroll
for(int i=0;i<2;i++)a[i]=threadIdx.x;}
