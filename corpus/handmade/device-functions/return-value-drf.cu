//pass
//--blockDim=[8,8] --gridDim=1
// The index is computed by a device function. The function is the row-major index of an 8 by 8 matrix,
// injective for columns below 8.

__device__ int cell(int row, int column)
{
    return row * 8 + column;
}

__global__ void return_value(int *a)
{
    a[cell(threadIdx.y, threadIdx.x)] = threadIdx.x;
}
