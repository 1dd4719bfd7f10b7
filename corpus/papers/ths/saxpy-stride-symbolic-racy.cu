// As its twin, without the condition that the stride covers the block. Deliberately without a header: the
// launch is symbolic. With blockDim.x = 8 and n = 4, thread 4 writes y[4] (i = 0) and thread 0 writes y[4] (i
// = 1). Source: [THS] Fig. 3.7 for every block.

__global__ void saxpy(float a, float *x, float *y, unsigned n)
{
    __requires(n <= 4096);
    unsigned tid = threadIdx.x;
    for (unsigned i = 0; i < n; i++) {
        unsigned idx = i * n + tid;
        y[idx] = a * x[idx] + y[idx];
    }
}
