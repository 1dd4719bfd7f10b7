// The inclusive scan of Kogge and Stone over the whole block, for any size of block. Deliberately without a
// header: the launch is symbolic. Between the barriers a phase has either only reads of idx[t - o], or only
// accesses to idx[t]; the first read of the next iteration comes after the second barrier. Source: [THS] Fig.
// 4.15 (Kogge-Stone).

__global__ void kogge_stone(int *data)
{
    extern __shared__ int idx[];
    unsigned t = threadIdx.x;
    idx[t] = data[t];
    __syncthreads();
    for (unsigned o = 1; o < blockDim.x; o *= 2) {
        int temp = 0;
        if (t >= o)
            temp = idx[t - o];
        __syncthreads();
        if (t >= o)
            idx[t] = temp + idx[t];
        __syncthreads();
    }
    data[t] = idx[t];
}
