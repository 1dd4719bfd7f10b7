//pass
//--blockDim=64 --gridDim=1
// The index was read from the array, but it is known to be the thread's own id. A thread reads back what it
// wrote itself in the same phase, so x equals threadIdx.x and every access is to a[threadIdx.x]. Source:
// [MAP] Fig. 16 (right), Table 1 test 5.

__global__ void read_index(int *a)
{
    a[threadIdx.x] = threadIdx.x;
    int x = a[threadIdx.x];
    a[x] = 0;
}
