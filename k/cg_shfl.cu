//pass
//--blockDim=64 --gridDim=1
#include <cooperative_groups.h>
namespace cg=cooperative_groups;__global__ void k(int*a){auto g=cg::this_thread_block();a[g.thread_rank()/2]=threadIdx.x;}
