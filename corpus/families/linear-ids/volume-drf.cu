// The linear id of a thread in a block of three symbolic dimensions. Deliberately without a header: the launch
// is symbolic. threadIdx.x < blockDim.x and threadIdx.y < blockDim.y, so the id determines the thread.

__global__ void volume(int *a)
{
    a[(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] = threadIdx.x;
}
