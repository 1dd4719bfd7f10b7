//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// Pairs of threads write their own ids to a common cell. Threads 0 and 1 write a[0], with 0 and 1.

__global__ void pair_value(int *a)
{
    a[threadIdx.x / 2] = threadIdx.x;
}
