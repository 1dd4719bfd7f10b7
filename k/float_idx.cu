//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){a[(int)(threadIdx.x*0.5f)]=threadIdx.x;}
