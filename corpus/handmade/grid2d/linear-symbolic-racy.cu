// The row length is taken from the wrong axis. Deliberately without a header: the launch is symbolic. With
// blockDim = (3,2), threads (2,0) and (0,1) both write a[2], with 2 and 0.

__global__ void linear_symbolic(int *a)
{
    a[threadIdx.y * blockDim.y + threadIdx.x] = threadIdx.x;
}
