//pass
//--blockDim=64 --gridDim=1
// An inner bound that depends on the thread, without a barrier. Row t of width 64 is touched in columns 0..t,
// and t is below 64.

__global__ void triangular(int *a)
{
    for (int j = 0; j <= threadIdx.x; j++)
        a[threadIdx.x * 64 + j] = threadIdx.x;
}
