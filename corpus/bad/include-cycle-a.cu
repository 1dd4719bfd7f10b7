// This file and include-cycle-b.cuh include each other without guards.
#include "include-cycle-b.cuh"

__global__ void in_cycle(int *a)
{
    a[threadIdx.x] = threadIdx.x;
}
