//pass
//--blockDim=64 --gridDim=1
__global__ void k(View<int> a){a.data()[0]=threadIdx.x;}
