// A linear id is split into a row and a column of a symbolic width, for a matrix of another pitch. Deliberately
// without a header: the launch is symbolic. id % W < W <= P, so the cell determines id / W and id % W, and these
// id.

__global__ void split(int *a, int W, int P)
{
    __requires(gridDim.x <= 1000 && 1 <= W && W <= P && P <= 1000);
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    int x = id % W, y = id / W;
    a[y * P + x] = id;
}
