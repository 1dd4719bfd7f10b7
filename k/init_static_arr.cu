//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){const int off[2]={0,1};int t=threadIdx.x;a[t]=a[t+off[1]];}
