//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The distance may be one less than the size of the block. With idx = 63, thread 0 reads a[63] and thread 63
// writes a[63]. Source: [SLD] the running example with a precondition that is one too weak.

__global__ void foo(int *a, unsigned idx)
{
    __requires(idx >= blockDim.x - 1);
    __requires(idx <= 1000000);
    int x = a[threadIdx.x + idx];
    int y = a[threadIdx.x];
    a[threadIdx.x] = x + y;
}
