//pass
//--blockDim=64 --gridDim=1
// The reads and the write are separated by a barrier. The first phase has only reads, the second only the
// write of a[threadIdx.x]. Source: [SLD] the running example with a barrier before the write.

__global__ void foo(int *a, unsigned idx)
{
    int x = a[threadIdx.x + idx];
    int y = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = x + y;
}
