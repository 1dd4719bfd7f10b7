//xfail:DATA_RACE
//--blockDim=64 --gridDim=4
// The loop also reads the next element, which belongs to somebody else. With n = 100, thread 0 reads a[1] and
// thread 1 writes a[1].

__global__ void update(int *a, int n)
{
    __requires(n <= 1000000);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        a[i] = a[i + 1] * 2 + i;
}
