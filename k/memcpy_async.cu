//pass
//--blockDim=64 --gridDim=1
#include <cooperative_groups/memcpy_async.h>
namespace cg=cooperative_groups;__global__ void k(int*a){__shared__ int s[64];auto g=cg::this_thread_block();cg::memcpy_async(g,s,a,256);s[0]=1;}
