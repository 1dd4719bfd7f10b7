//pass
//--blockDim=64 --gridDim=4
// The usual bound check by early return. Each global index is written by one thread.

__global__ void early_return(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = in[i] + 1;
}
