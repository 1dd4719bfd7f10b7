//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The mask keeps one bit too many. With idx[0] = 8 and idx[1] = 0, thread 0 writes a[8] = 8 and thread 1
// writes a[8] = 0.

__global__ void same_index(int *a, const int *idx)
{
    int k = idx[threadIdx.x] & 15;
    a[threadIdx.x * 8 + k] = k;
}
