//pass
//--blockDim=64 --gridDim=1
__global__ void k(size_t p){*(int*)p=threadIdx.x;}
