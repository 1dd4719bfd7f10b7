//xfail:DATA_RACE
//--blockDim=[8,8] --gridDim=1
// The function multiplies by the wrong width. Threads (4,0) and (0,1) both write a[4], with 4 and 0.

__device__ int cell(int row, int column)
{
    return row * 4 + column;
}

__global__ void return_value(int *a)
{
    a[cell(threadIdx.y, threadIdx.x)] = threadIdx.x;
}
