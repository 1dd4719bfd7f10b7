//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){int t=threadIdx.x;int o=__shfl_sync(~0u,t,0);a[o]=t;}
