//pass
//--blockDim=64 --gridDim=1
// Whether the block reaches the barrier depends on one cell that all threads read. in[0] has the same value
// for all threads, as nobody writes it.

__global__ void data_branch(int *a, const int *in)
{
    if (in[0] > 0)
        __syncthreads();
    a[threadIdx.x] = 1;
}
