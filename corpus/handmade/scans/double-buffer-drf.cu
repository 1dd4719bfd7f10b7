//pass
//--blockDim=64 --gridDim=1
// An inclusive scan with two buffers and one barrier per round. In a round all reads go to one half and all
// writes to the other, at the own cell; the barrier separates the rounds.

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
            s[out * 64 + t] = s[in * 64 + t] + s[in * 64 + t - d];
        else
            s[out * 64 + t] = s[in * 64 + t];
        __syncthreads();
    }
    data[t] = s[out * 64 + t];
}
