//xfail:DATA_RACE
//--blockDim=64 --gridDim=2
// The barrier of the loop is missing. Thread 16 writes s[16] in the round of d = 32 and thread 0 reads s[16]
// in the round of d = 16.

__global__ void reduce(int *out, const int *in)
{
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
