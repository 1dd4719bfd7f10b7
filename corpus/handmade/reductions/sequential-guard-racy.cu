//xfail:DATA_RACE
//--blockDim=64 --gridDim=2
// The guard lets one thread too many through. With d = 32, thread 32 writes s[32] and thread 0 reads s[32].

__global__ void reduce(int *out, const int *in)
{
    __shared__ int s[128];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    s[t + 64] = 0;
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t <= d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
