// Each thread writes the cell k further round the block. Deliberately without a header: the launch is symbolic.
// t + k is below 2 B, so that it is reduced by B at most once: one cell for each thread.

__global__ void rotate(int *a, unsigned k)
{
    __requires(k < blockDim.x && blockDim.x >= 3);
    unsigned t = threadIdx.x, B = blockDim.x;
    a[(t + k) % B] = t;
}
