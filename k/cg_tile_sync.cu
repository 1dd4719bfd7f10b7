//pass
//--blockDim=64 --gridDim=1
#include <cooperative_groups.h>
namespace cg=cooperative_groups;__global__ void k(int*a){auto g=cg::this_thread_block();auto t=cg::tiled_partition<32>(g);int i=threadIdx.x;a[i]=i;t.sync();int v=a[(i+1)%64];g.sync();a[i]=v;}
