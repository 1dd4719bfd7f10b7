//pass
//--blockDim=64 --gridDim=1
// Two accesses through the same unknown index of the own cell, offset so that the thread stays in its row.
// The masked value is in 0..7, so thread t stays in cells 8t .. 8t + 7.

__global__ void same_index(int *a, const int *idx)
{
    int k = idx[threadIdx.x] & 7;
    a[threadIdx.x * 8 + k] = k;
    a[threadIdx.x * 8 + (k ^ 7)] = 7;
}
