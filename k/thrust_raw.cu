//pass
//--blockDim=64 --gridDim=1
__global__ void k(thrust::device_ptr<int> a){a[0]=threadIdx.x;}
