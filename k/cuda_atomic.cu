//pass
//--blockDim=64 --gridDim=1
#include <cuda/atomic>
__global__ void k(int*a){cuda::atomic_ref<int> r(a[0]);r.fetch_add(1);a[0]=threadIdx.x;}
