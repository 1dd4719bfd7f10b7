//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The barrier between the two levels is missing. Thread 32 writes part[1] and thread 0 reads part[1].

__global__ void two_level(int *out, const int *in)
{
    __shared__ int part[2];
    int t = threadIdx.x;
    int v = in[t];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (t % 32 == 0)
        part[t / 32] = v;
    if (t == 0)
        out[0] = part[0] + part[1];
}
