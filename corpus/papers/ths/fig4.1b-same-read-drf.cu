//pass
//--blockDim=64 --gridDim=1
// All threads read the same cell of an array that nobody writes, and choose their cell by what they read. Two
// reads of b[0] agree, so either all threads write a[t] or all write a[t + 1]. Source: [THS] Fig. 4.1b.

__global__ void same_read(int *a, const int *b)
{
    int w = b[0] ? threadIdx.x : threadIdx.x + 1;
    a[w] = threadIdx.x;
}
