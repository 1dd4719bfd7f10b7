// Cells are permuted by an exclusive or with a symbolic mask. Deliberately without a header: the launch is
// symbolic. An exclusive or with one mask can be undone, so threads have different cells.

__global__ void exclusive_or(unsigned *a, unsigned k)
{
    unsigned t = threadIdx.x;
    a[t ^ k] = t;
}
