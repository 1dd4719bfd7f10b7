//pass
//--blockDim=64 --gridDim=1
// Add the right neighbour, into another array. a is only read and b[threadIdx.x] is the thread's own. Source:
// [THS] Fig. 3.5 out of place.

__global__ void neighbour(const int *a, int *b)
{
    b[threadIdx.x] = a[threadIdx.x] + a[threadIdx.x + 1];
}
