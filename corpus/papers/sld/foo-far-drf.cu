//pass
//--blockDim=64 --gridDim=1
// The distance is known to be at least the size of the block, so no read lands in the written part. Writes go
// to cells 0..63 and the distant reads to cells 64 and up (the upper bound rules out wrap-around). Source:
// [SLD] the running example with a precondition.

__global__ void foo(int *a, unsigned idx)
{
    __requires(idx >= blockDim.x);
    __requires(idx <= 1000000);
    int x = a[threadIdx.x + idx];
    int y = a[threadIdx.x];
    a[threadIdx.x] = x + y;
}
