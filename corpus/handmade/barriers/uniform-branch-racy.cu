//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The barrier is in a uniform branch, but the accesses that need it are not. With mode = 0 there is no
// barrier: thread 0 reads s[63] and thread 63 writes s[63].

__global__ void uniform_branch(int *a, int mode)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    if (mode > 0)
        __syncthreads();
    a[t] = s[63 - t];
}
