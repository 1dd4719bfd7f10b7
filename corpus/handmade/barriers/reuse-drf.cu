//pass
//--blockDim=64 --gridDim=1
// A shared array used twice, with a barrier before the reuse. Four phases: write own, read neighbour, write
// own, read neighbour.

__global__ void reuse(int *a, int *b)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    int x = s[63 - t];
    __syncthreads();
    s[t] = b[t];
    __syncthreads();
    a[t] = x + s[63 - t];
}
