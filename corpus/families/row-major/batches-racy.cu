// Batches at a distance, of elements at a distance: two symbolic strides. Deliberately without a header: the
// launch is symbolic. With n = step = distance = 2, thread 1 of block (0,0) writes a[2] = 1 and thread 0 of
// block (0,1) writes a[2] = 0.

__global__ void batches(int *a, int n, int step, int distance)
{
    __requires(gridDim.x <= 65535 && gridDim.y <= 1000 && n <= 1000 && step >= 1 && step <= 100);
    __requires(distance >= n && distance <= 1000000);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int b = blockIdx.y;
    if (i < n)
        a[b * distance + i * step] = i;
}
