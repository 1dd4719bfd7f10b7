// The tree reduction for every size of block, without its last barrier in the round. Deliberately without a
// header: the launch is symbolic. With blockDim.x = 4, thread 1 writes s[1] in the round of d = 2 and thread
// 0 reads s[1] in the round of d = 1.

__global__ void reduce(int *out, const int *in)
{
    extern __shared__ int s[];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
    }
    if (t == 0)
        out[0] = s[0];
}
