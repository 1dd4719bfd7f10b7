//pass
//--blockDim=64 --gridDim=2
// A __device__ variable, visible to all blocks, written by one thread of the grid. Only thread 0 of block 0
// passes the guard, and nobody else touches total.

__device__ int total;

__global__ void publish(int v)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        total = v;
}
