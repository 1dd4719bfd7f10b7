//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The update of one iteration shares a phase with the reads of the next. Thread 1 writes sum[1] in the
// iteration of offset 1, and thread 3 reads sum[3 - 2] in the iteration of offset 2. Source: [LSP] Fig. 1a
// without its second barrier.

#define TS 64

__global__ void scan(int *sum)
{
    int tid = threadIdx.x;
    int offset = 1, temp = 0;
    while (offset < TS) {
        if (tid >= offset)
            temp = sum[tid - offset];
        __syncthreads();
        if (tid >= offset)
            sum[tid] = sum[tid] + temp;
        offset *= 2;
    }
}
