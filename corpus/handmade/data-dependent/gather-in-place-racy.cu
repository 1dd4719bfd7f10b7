//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The gather in place. With idx[0] = 1, thread 0 reads a[1] and thread 1 writes a[1].

__global__ void gather(int *a, const int *idx)
{
    a[threadIdx.x] = a[idx[threadIdx.x]];
}
