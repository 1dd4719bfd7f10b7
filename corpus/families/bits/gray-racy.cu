// The Gray code of the number of a thread. Deliberately without a header: the launch is symbolic. Threads 0 and
// 1 both write a[0], with 0 and 1.

__global__ void gray(unsigned *a)
{
    unsigned t = threadIdx.x;
    a[t & (t >> 1)] = t;
}
