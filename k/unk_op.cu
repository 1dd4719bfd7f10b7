//pass
//--blockDim=64 --gridDim=1
__global__ void k(Acc a){a+=threadIdx.x;}
