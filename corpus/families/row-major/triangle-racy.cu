// The lower half of a matrix, packed: row i begins at i (i + 1) / 2. Deliberately without a header: the launch
// is symbolic. With n = 2 and blockDim = (2,2), thread (1,0) writes a[1] = 1 and thread (0,1) writes a[1] = 0.

__global__ void triangle(int *a, int n)
{
    __requires(gridDim.x <= 65535 && n <= 30000);
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (j <= i + 1 && i < n)
        a[i * (i + 1) / 2 + j] = j;
}
