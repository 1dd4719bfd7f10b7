//pass
//--blockDim=64 --gridDim=2
// The global index, for comparison. 64 * b + t with t below 64 determines b and t.

__global__ void local_index(int *a)
{
    a[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x;
}
