//pass
//--blockDim=64 --gridDim=1
__device__ __managed__ int g;__global__ void k(){g=threadIdx.x;}
