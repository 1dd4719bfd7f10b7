//pass
//--blockDim=64 --gridDim=1
// A racy statement that no thread of this launch can reach. The block has 64 threads, so threadIdx.x >= 64
// never holds; the live write is to the own cell.

__global__ void dead_code(int *a)
{
    a[threadIdx.x] = threadIdx.x;
    if (threadIdx.x >= 64)
        a[0] = threadIdx.x;
}
