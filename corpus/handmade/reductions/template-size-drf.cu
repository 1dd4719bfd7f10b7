//pass
//--blockDim=64 --gridDim=1
// A reduction unrolled by a template parameter; the branches that do not apply disappear. With SIZE = 64 the
// steps are 32 and 16 .. 1, each with a barrier.

template <int SIZE>
__global__ void unrolled(int *data)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    if (SIZE >= 128) {
        if (t < 64)
            s[t] += s[t + 64];
        __syncthreads();
    }
    if (SIZE >= 64) {
        if (t < 32)
            s[t] += s[t + 32];
        __syncthreads();
    }
    for (int d = 16; d > 0; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    data[t] = s[0];
}

template __global__ void unrolled<64>(int *data);
