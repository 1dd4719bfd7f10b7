// The upper half of a square matrix is copied to the lower one, in place. Deliberately without a header: the
// launch is symbolic. Reads are at i < j and writes at the cell with i and j exchanged; both coordinates are
// below N.

__global__ void mirror_half(int *a, int N)
{
    __requires(gridDim.x <= 65535 && N <= 30000);
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < j && j < N)
        a[j * N + i] = a[i * N + j];
}
