//pass
//--blockDim=64 --gridDim=1
// Reads through unknown indices, writes to own cells of another array. b is only read and a[threadIdx.x] is
// the own cell.

__global__ void gather(int *a, const int *b, const int *idx)
{
    a[threadIdx.x] = b[idx[threadIdx.x]];
}
