// The file ends in the middle of a kernel.

__global__ void half(int *a, int n)
{
    for (int i = threadIdx.x; i < n; i +=