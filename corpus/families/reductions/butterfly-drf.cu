// Every thread adds the value of its partner, whose number differs in one bit. Deliberately without a header:
// the launch is symbolic. In a round all read before the first barrier, and all write their own cell after it.

__global__ void butterfly(const int *in, int *out)
{
    extern __shared__ int x[];
    int t = threadIdx.x, B = blockDim.x;
    x[t] = in[t];
    __syncthreads();
    for (int m = B / 2; m > 0; m /= 2) {
        int sum = x[t] + x[t ^ m];
        __syncthreads();
        x[t] = sum;
        __syncthreads();
    }
    out[t] = x[t];
}
