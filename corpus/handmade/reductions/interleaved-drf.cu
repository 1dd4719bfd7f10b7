//pass
//--blockDim=64 --gridDim=1
// Tree reduction with a doubling stride and a remainder test. Threads that pass are multiples of 2d: they
// write their own cell and read one that is an odd multiple of d.

__global__ void interleaved(int *data)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        if (t % (2 * d) == 0)
            s[t] += s[t + d];
        __syncthreads();
    }
    data[t] = s[0];
}
