// A stride that is a symbolic power of two. Deliberately without a header: the launch is symbolic. t << k is t *
// 2^k, which determines t; with t < 1024 and k <= 16 no bit is lost.

__global__ void shift(unsigned *a, unsigned k)
{
    __requires(k <= 16);
    unsigned t = threadIdx.x;
    a[t << k] = t;
}
