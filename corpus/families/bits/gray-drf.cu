// The Gray code of the number of a thread. Deliberately without a header: the launch is symbolic. The highest
// bit is kept, and each bit below follows from the one above it, so the code can be undone.

__global__ void gray(unsigned *a)
{
    unsigned t = threadIdx.x;
    a[t ^ (t >> 1)] = t;
}
