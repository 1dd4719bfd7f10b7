// A stride that is a symbolic power of two. Deliberately without a header: the launch is symbolic. With k = 1,
// threads 0 and 1 both write a[0], with 0 and 1.

__global__ void shift(unsigned *a, unsigned k)
{
    __requires(k <= 16);
    unsigned t = threadIdx.x;
    a[t >> k] = t;
}
