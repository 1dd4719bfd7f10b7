//pass
//--blockDim=64 --gridDim=1
// An inclusive scan in place, with a barrier between reading the left neighbour and adding to the own cell.
// Each phase either reads sum[tid - offset] only, or reads and writes sum[tid] only; the loop bounds are the
// same for all threads. Source: [LSP] Fig. 1a.

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
        __syncthreads();
        offset *= 2;
    }
}
