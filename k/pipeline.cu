//pass
//--blockDim=64 --gridDim=1
#include <cuda/pipeline>
__global__ void k(int*a){__shared__ int s[64];__pipeline_memcpy_async(&s[0],&a[threadIdx.x],4);__pipeline_commit();__pipeline_wait_prior(0);}
