//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// Writes of the same value still race with reads. Thread 0 reads a[0] and thread 1 writes a[0], and nothing
// orders the two.

__global__ void read_back(int *a, int *b)
{
    b[threadIdx.x] = a[0];
    a[0] = 1;
}
