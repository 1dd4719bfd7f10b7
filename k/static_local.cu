//pass
//--blockDim=64 --gridDim=1
__device__ int next(){static int c;c=c+1;return c;}__global__ void k(int*out){out[threadIdx.x]=next();}
