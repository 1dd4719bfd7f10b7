// A linear id is split into a row and a column of a symbolic width, for a matrix of another pitch. Deliberately
// without a header: the launch is symbolic. With W = 2 and P = 1, thread 1 writes a[1] = 1 and thread 2 writes
// a[1] = 2.

__global__ void split(int *a, int W, int P)
{
    __requires(gridDim.x <= 1000 && 1 <= W && 1 <= P && P <= 1000);
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    int x = id % W, y = id / W;
    a[y * P + x] = id;
}
