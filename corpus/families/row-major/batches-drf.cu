// Batches at a distance, of elements at a distance: two symbolic strides. Deliberately without a header: the
// launch is symbolic. i * step < n * step <= distance, so the batch is determined, and step >= 1 determines i.

__global__ void batches(int *a, int n, int step, int distance)
{
    __requires(gridDim.x <= 65535 && gridDim.y <= 1000 && n <= 1000 && step >= 1 && step <= 100);
    __requires(distance >= n * step && distance <= 1000000);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int b = blockIdx.y;
    if (i < n)
        a[b * distance + i * step] = i;
}
