//pass
//--blockDim=64 --gridDim=1
__global__ void k(Stream s){s<<threadIdx.x;}
