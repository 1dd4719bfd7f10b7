//pass
//--blockDim=64 --gridDim=1
// Reads of odd cells and writes of even cells. 2t + 1 and 2s differ in parity, and 2t is injective. Source:
// [THS] Fig. 4.1a.

__global__ void even_odd(int *a)
{
    int v = 2 * threadIdx.x;
    int w = 2 * threadIdx.x + 1;
    a[v] = a[w];
}
