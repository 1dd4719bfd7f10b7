//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The halves are 63 cells apart, so they overlap in one cell. In the first round thread 0 writes s[63] (63 +
// 0) and thread 63 reads s[63].

__global__ void scan(int *data)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    int out = 0;
    int in = 1;
    s[t] = data[t];
    __syncthreads();
    for (int d = 1; d < 64; d <<= 1) {
        out = 1 - out;
        in = 1 - out;
        if (t >= d)
            s[out * 63 + t] = s[in * 63 + t] + s[in * 63 + t - d];
        else
            s[out * 63 + t] = s[in * 63 + t];
        __syncthreads();
    }
    data[t] = s[out * 63 + t];
}
