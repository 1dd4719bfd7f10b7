//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The read of the left neighbour and the update of the own cell share a phase. With offset = 1, thread 2
// reads sum[1] and thread 1 writes sum[1]. Source: [LSP] Fig. 1a without its first barrier.

#define TS 64

__global__ void scan(int *sum)
{
    int tid = threadIdx.x;
    int offset = 1, temp = 0;
    while (offset < TS) {
        if (tid >= offset)
            temp = sum[tid - offset];
        if (tid >= offset)
            sum[tid] = sum[tid] + temp;
        __syncthreads();
        offset *= 2;
    }
}
