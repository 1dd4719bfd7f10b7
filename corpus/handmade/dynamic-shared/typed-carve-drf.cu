//pass
//--blockDim=64 --gridDim=1
// The dynamic shared array holds doubles first and ints after them. The doubles take bytes 0..511 and the
// ints bytes 512..767.

__global__ void typed_carve(double *a, int *b)
{
    extern __shared__ double pool[];
    double *values = pool;
    int *keys = (int *)&pool[64];
    values[threadIdx.x] = a[threadIdx.x];
    keys[threadIdx.x] = b[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = values[63 - threadIdx.x];
    b[threadIdx.x] = keys[63 - threadIdx.x];
}
