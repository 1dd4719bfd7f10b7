//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The remainder test uses d instead of 2d. With d = 2, thread 0 reads s[2] and thread 2 writes s[2].

__global__ void interleaved(int *data)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = data[t];
    s[t + 64] = 0;
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        if (t % d == 0)
            s[t] += s[t + d];
        __syncthreads();
    }
    data[t] = s[0];
}
