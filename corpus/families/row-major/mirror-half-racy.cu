// The upper half of a square matrix is copied to the lower one, in place. Deliberately without a header: the
// launch is symbolic. With N = 2 and blockDim = (2,2), thread (1,0) (j = 1, i = 0) writes a[2], which thread
// (0,1) reads.

__global__ void mirror_half(int *a, int N)
{
    __requires(gridDim.x <= 65535 && N <= 30000);
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < N && j < N)
        a[j * N + i] = a[i * N + j];
}
