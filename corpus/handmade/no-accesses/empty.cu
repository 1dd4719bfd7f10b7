//pass
//--blockDim=64 --gridDim=1
// A kernel without a body. There is no access to any shared or global memory.

__global__ void empty(int *a)
{
}
