// Every thread adds the value of its partner, whose number differs in one bit. Deliberately without a header:
// the launch is symbolic. With B = 2, thread 0 reads x[1], which thread 1 writes.

__global__ void butterfly(const int *in, int *out)
{
    extern __shared__ int x[];
    int t = threadIdx.x, B = blockDim.x;
    x[t] = in[t];
    __syncthreads();
    for (int m = B / 2; m > 0; m /= 2) {
        int sum = x[t] + x[t ^ m];
        x[t] = sum;
        __syncthreads();
    }
    out[t] = x[t];
}
