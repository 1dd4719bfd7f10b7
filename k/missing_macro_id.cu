//pass
//--blockDim=64 --gridDim=1
#include "tile_macros.h"
__global__ void k(int*a){int t=threadIdx.x;a[t]=NEXT;}
