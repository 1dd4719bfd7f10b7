//pass
//--blockDim=64 --gridDim=1
#include <cuda/barrier>
__global__ void k(int*a){__shared__ cuda::barrier<cuda::thread_scope_block> b;a[0]=threadIdx.x;b.arrive_and_wait();}
