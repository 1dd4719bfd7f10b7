//pass
//--blockDim=64 --gridDim=1
// The same name is a shared array in one kernel and a private array in the next. with_shared: write and
// shifted read of buffer are separated by the barrier.

__global__ void with_shared(int *a)
{
    __shared__ int buffer[64];
    buffer[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = buffer[63 - threadIdx.x];
}

__global__ void with_private(int *a)
{
    int buffer[4];
    for (int i = 0; i < 4; i++)
        buffer[i] = a[threadIdx.x] + i;
    a[threadIdx.x] = buffer[a[threadIdx.x] & 3];
}
