// A structure of arrays: each thread has a cell in each of F fields of n cells. Deliberately without a header:
// the launch is symbolic. With n = 1 and F = 2, thread 1 writes a[1] = 0 (f = 0) and thread 0 writes a[1] = 1 (f
// = 1).

__global__ void fields(int *a, int n, int F)
{
    __requires(gridDim.x <= 65535 && n <= 1000000 && F <= 1000);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        for (int f = 0; f < F; f++)
            a[f * n + i] = f;
}
