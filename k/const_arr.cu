//pass
//--blockDim=64 --gridDim=1
__constant__ int off[2]={0,1};__global__ void k(int*a){int t=threadIdx.x;a[t]=a[t+off[1]];}
