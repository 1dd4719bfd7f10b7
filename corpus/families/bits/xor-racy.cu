// Cells are permuted by an exclusive or with a symbolic mask. Deliberately without a header: the launch is
// symbolic. With k = 1, threads 0 and 1 both write a[1], with 0 and 1.

__global__ void exclusive_or(unsigned *a, unsigned k)
{
    unsigned t = threadIdx.x;
    a[t | k] = t;
}
