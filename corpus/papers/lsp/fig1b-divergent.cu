//xfail:BARRIER_DIVERGENCE
//--blockDim=64 --gridDim=1
// The optimised scan: the guard has moved into the loop condition, so threads with small ids leave the loop
// early. Thread 0 never enters the loop (1 <= 0 is false) and never reaches the barrier at which thread 1
// waits. Source: [LSP] Fig. 1b.

#define TS 64

__global__ void scan(int *sum)
{
    int tid = threadIdx.x;
    int offset = 1, temp;
    while (offset <= tid) {
        temp = sum[tid - offset];
        __syncthreads();
        sum[tid] = sum[tid] + temp;
        __syncthreads();
        offset *= 2;
    }
}
