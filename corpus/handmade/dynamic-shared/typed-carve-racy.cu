//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The ints start where 64 floats would end, not 64 doubles. keys starts at byte 256: thread 0 writes bytes
// 256..259 as keys[0] and thread 32 writes bytes 256..263 as values[32].

__global__ void typed_carve(double *a, int *b)
{
    extern __shared__ double pool[];
    double *values = pool;
    int *keys = (int *)pool + 64;
    values[threadIdx.x] = a[threadIdx.x];
    keys[threadIdx.x] = b[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = values[63 - threadIdx.x];
    b[threadIdx.x] = keys[63 - threadIdx.x];
}
