//pass
//--blockDim=32 --gridDim=4
// A one-dimensional stencil out of place, with the border handled by a test on each neighbour. a is only
// read, and b[i] is written by the one thread whose global index is i. Source: [THS] the introductory stencil
// kernel.

__global__ void stencil(const int *a, int *b, int n, int r)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    int sum = 0;
    for (int k = -r; k <= r; k++)
        if (0 <= i + k && i + k < n)
            sum += a[i + k];
    if (i < n)
        b[i] = sum;
}
