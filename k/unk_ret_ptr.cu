//pass
//--blockDim=64 --gridDim=1
__device__ int*get();__global__ void k(){get()[0]=threadIdx.x;}
