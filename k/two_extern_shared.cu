//pass
//--blockDim=64 --gridDim=1
__global__ void k(){extern __shared__ int s[];extern __shared__ float f[];s[threadIdx.x]=1;f[threadIdx.x+1]=2;}
