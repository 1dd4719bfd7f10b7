// The header does not exist. Nothing in the kernel depends on it.
#include "no-such-header.h"

__global__ void survives(int *a)
{
    a[threadIdx.x] = threadIdx.x;
}
