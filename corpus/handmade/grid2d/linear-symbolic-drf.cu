// The linear id of a thread for any block shape. Deliberately without a header: the launch is symbolic. The z
// axis is never read, so it is taken as 1. x < blockDim.x, so y * blockDim.x + x determines both.

__global__ void linear_symbolic(int *a)
{
    a[threadIdx.y * blockDim.x + threadIdx.x] = threadIdx.x;
}
