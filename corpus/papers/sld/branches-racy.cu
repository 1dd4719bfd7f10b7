//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The condition is read from the next thread's cell, which that thread may overwrite. Thread 0 reads x[1] for
// its condition while thread 1 writes x[1] when x[2] is less than 100. Source: [SLD] the predication example,
// with the condition read from a neighbour.

__global__ void branches(int *x, int *y)
{
    if (x[threadIdx.x + 1] < 100)
        x[threadIdx.x] = x[threadIdx.x] + 1;
    else
        y[threadIdx.x] = y[threadIdx.x] + 1;
}
