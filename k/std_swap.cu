//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a,int*b){std::swap(a[0],b[threadIdx.x]);}
