//--blockDim=64 --gridDim=1
// One kernel uses a type and a function that are declared nowhere; the other one is plain.

__global__ void undeclared(Matrix m, int *a)
{
    a[m.offset(threadIdx.x)] = 1;
}

__global__ void good(int *a)
{
    a[threadIdx.x] = threadIdx.x;
}
