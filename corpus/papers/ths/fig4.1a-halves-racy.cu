//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// Both sides are even now. Thread 0 reads a[2] and thread 1 writes a[2]. Source: [THS] Fig. 4.1a, shifted by
// one more.

__global__ void even_odd(int *a)
{
    int v = 2 * threadIdx.x;
    int w = 2 * threadIdx.x + 2;
    a[v] = a[w];
}
