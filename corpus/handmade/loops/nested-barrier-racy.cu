//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The second inner barrier is missing, so the read of one round meets the write that follows it. With n = m =
// 1, thread 0 reads a[63] and thread 63 writes a[63] in the phase after the barrier.

__global__ void nested_barrier(int *a, int n, int m)
{
    int t = threadIdx.x;
    int v = 0;
    for (int i = 0; i < n; i++) {
        a[t] = v + i;
        for (int j = 0; j < m; j++) {
            __syncthreads();
            v += a[63 - t];
            a[t] = v + j;
        }
    }
}
