//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*out){static int c;c=threadIdx.x;out[threadIdx.x]=c;}
