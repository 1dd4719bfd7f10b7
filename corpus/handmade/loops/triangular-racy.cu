//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The rows are 63 cells apart, and each thread reaches one column past its diagonal. Thread 62 writes a[62 *
// 63 + 63] and thread 63 writes a[63 * 63 + 0], the same cell 3969.

__global__ void triangular(int *a)
{
    for (int j = 0; j <= threadIdx.x + 1; j++)
        a[threadIdx.x * 63 + j] = threadIdx.x;
}
