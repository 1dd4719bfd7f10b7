// Each thread writes the cell k further round the block. Deliberately without a header: the launch is symbolic.
// With B = 3 and k = 0, threads 0 and 2 both write a[0], with 0 and 2.

__global__ void rotate(int *a, unsigned k)
{
    __requires(k < blockDim.x && blockDim.x >= 3);
    unsigned t = threadIdx.x, B = blockDim.x;
    a[(t + k) % (B - 1)] = t;
}
