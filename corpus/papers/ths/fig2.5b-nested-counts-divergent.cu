//xfail:BARRIER_DIVERGENCE
//--blockDim=32 --gridDim=1
// Every thread passes the barrier four times in total, but thread 0 does so in other iterations than the
// rest. Thread 0 leaves the outer loop after one iteration of four inner ones, thread 1 starts a second outer
// iteration after one inner one: same barrier, different iteration. Source: [THS] Fig. 2.5b.

__global__ void counts(int *a)
{
    int x = threadIdx.x == 0 ? 1 : 4;
    int y = threadIdx.x == 0 ? 4 : 1;
    for (int i = 0; i < x; i++) {
        for (int j = 0; j < y; j++) {
            a[threadIdx.x] = i + j;
            __syncthreads();
        }
    }
}
