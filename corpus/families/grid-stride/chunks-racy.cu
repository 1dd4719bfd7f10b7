// Each thread has m consecutive cells. Deliberately without a header: the launch is symbolic. With m = 1, thread
// 0 writes a[1] = 1 (j = 1) and thread 1 writes a[1] = 0 (j = 0).

__global__ void chunks(int *a, int m)
{
    __requires(gridDim.x <= 1000 && m <= 1000);
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j <= m; j++)
        a[id * m + j] = j;
}
