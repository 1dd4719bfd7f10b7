//pass
//--blockDim=64 --gridDim=1
// Both sides of a branch update a cell; under predication each thread takes exactly one of them. Either side
// touches cells that only this thread touches: x[threadIdx.x] or y[threadIdx.x]. Source: [SLD] the
// predication example, on array cells.

__global__ void branches(int *x, int *y)
{
    if (x[threadIdx.x] < 100)
        x[threadIdx.x] = x[threadIdx.x] + 1;
    else
        y[threadIdx.x] = y[threadIdx.x] + 1;
}
