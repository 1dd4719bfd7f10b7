//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The stride is the warp size instead of the block size. With n = 64, thread 0 reaches a[32] in its second
// step and thread 32 starts there.

__global__ void strided(int *a, int n)
{
    __requires(n <= 1000000);
    for (int i = threadIdx.x; i < n; i += 32)
        a[i] = a[i] + threadIdx.x;
}
