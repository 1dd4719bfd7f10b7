//pass
//--blockDim=64 --gridDim=1
extern __device__ int g;__global__ void k(){g=threadIdx.x;}
