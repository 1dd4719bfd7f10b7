//pass
//--blockDim=64 --gridDim=1
// One dynamic shared array carved into two parts by pointer arithmetic. The first part is cells 0..63, the
// second 64..127; the mirrored read of the second is behind the barrier.

__global__ void carve(int *a)
{
    extern __shared__ int pool[];
    int *first = pool;
    int *second = pool + 64;
    first[threadIdx.x] = a[threadIdx.x];
    second[threadIdx.x] = 2 * a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = first[threadIdx.x] + second[63 - threadIdx.x];
}
