//pass
//--blockDim=64 --gridDim=1
// A reduction by shuffles inside each warp, then across warps through shared memory. Lane 0 of each warp
// writes part[warp], the barrier follows, and only thread 0 reads all parts. Shuffles touch no memory.

__global__ void two_level(int *out, const int *in)
{
    __shared__ int part[2];
    int t = threadIdx.x;
    int v = in[t];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (t % 32 == 0)
        part[t / 32] = v;
    __syncthreads();
    if (t == 0)
        out[0] = part[0] + part[1];
}
