//pass
//--blockDim=64 --gridDim=1
// Either the distance is zero or no neighbour is in range; then no barrier is needed. With i = 0 both reads
// are of the own cell; with n <= i < n + 2^31 the test threadIdx.x + i < n fails for every thread. Source:
// [THS] Fig. 2.7 with the precondition that rules the race out.

__global__ void nbor(int *a, unsigned i, unsigned n)
{
    __requires(i == 0 || i >= n);
    __requires(i <= 1000000);
    int v = 0;
    if (threadIdx.x + i < n)
        v = a[threadIdx.x + i];
    int w = a[threadIdx.x];
    a[threadIdx.x] = v + w;
}
