//pass
//--blockDim=64 --gridDim=1
// The loop around the only barrier is known to run. n >= 1, so at least one barrier separates the write of
// a[t] from the read of a[t + 1].

__global__ void zero_trip(int *a, int *b, int n)
{
    __requires(n >= 1);
    a[threadIdx.x] = threadIdx.x;
    for (int i = 0; i < n; i++)
        __syncthreads();
    b[threadIdx.x] = a[threadIdx.x + 1];
}
