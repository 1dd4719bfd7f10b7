//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The barrier before the reuse is missing. Thread 0 reads s[63] of the first round while thread 63 writes
// s[63] of the second.

__global__ void reuse(int *a, int *b)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    int x = s[63 - t];
    s[t] = b[t];
    __syncthreads();
    a[t] = x + s[63 - t];
}
