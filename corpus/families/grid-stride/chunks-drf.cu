// Each thread has m consecutive cells. Deliberately without a header: the launch is symbolic. 0 <= j < m, so a
// cell determines the thread.

__global__ void chunks(int *a, int m)
{
    __requires(gridDim.x <= 1000 && m <= 1000);
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; j++)
        a[id * m + j] = j;
}
