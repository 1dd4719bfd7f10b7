//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The voting barrier comes before the writes instead of after them. Thread 0 reads s[63] and thread 63 writes
// s[63] in the second phase.

__global__ void barrier_or(int *a)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    int any = __syncthreads_or(a[t] > 5);
    s[t] = a[t];
    a[t] = s[63 - t] + any;
}
