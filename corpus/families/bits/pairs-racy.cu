// The pairs of a butterfly at a symbolic distance m, a power of two: a zero bit is put into the number of the
// thread. Deliberately without a header: the launch is symbolic. With m = 3, thread 1 writes a[2] (2 + 0) and
// thread 2 reads it (0 + 2).

__global__ void pairs(int *a, unsigned m)
{
    __requires(1 <= m && m <= 1024);
    unsigned t = threadIdx.x;
    unsigned i = ((t & ~(m - 1)) << 1) | (t & (m - 1));
    int v = a[i];
    a[i] = a[i + m];
    a[i + m] = v;
}
