// The lower half of a matrix, packed: row i begins at i (i + 1) / 2. Deliberately without a header: the launch
// is symbolic. Row i is the cells i (i + 1) / 2 to i (i + 1) / 2 + i, and the next row begins one later.

__global__ void triangle(int *a, int n)
{
    __requires(gridDim.x <= 65535 && n <= 30000);
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (j <= i && i < n)
        a[i * (i + 1) / 2 + j] = j;
}
