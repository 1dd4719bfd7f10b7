//pass
//--blockDim=64 --gridDim=1
__device__ void g(){extern __shared__ float f[];f[threadIdx.x+1]=2;}__global__ void k(){extern __shared__ int s[];s[threadIdx.x]=1;g();}
