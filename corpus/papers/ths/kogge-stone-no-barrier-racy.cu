// The update of a level and the reads of the next share a phase. Deliberately without a header: the launch is
// symbolic. With blockDim.x = 4, thread 1 writes idx[1] at level o = 1 and thread 3 reads idx[1] at level o =
// 2. Source: [THS] Fig. 4.15 (Kogge-Stone) without its second barrier.

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
    }
    data[t] = idx[t];
}
