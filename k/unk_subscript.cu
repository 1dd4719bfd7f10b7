//pass
//--blockDim=64 --gridDim=1
__global__ void k(View a){a(0)=threadIdx.x;}
