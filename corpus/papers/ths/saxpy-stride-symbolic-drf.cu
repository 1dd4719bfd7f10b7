// The stride is a parameter, known to be no less than the size of the block. Deliberately without a header:
// the launch is symbolic. i * n + threadIdx.x with threadIdx.x < n determines threadIdx.x; the bound on n
// keeps the product within 32 bits. Source: [THS] Fig. 3.7 for every block up to the stride.

__global__ void saxpy(float a, float *x, float *y, unsigned n)
{
    __requires(n >= blockDim.x);
    __requires(n <= 4096);
    unsigned tid = threadIdx.x;
    for (unsigned i = 0; i < n; i++) {
        unsigned idx = i * n + tid;
        y[idx] = a * x[idx] + y[idx];
    }
}
