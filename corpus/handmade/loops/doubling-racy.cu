//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The second barrier of the doubling loop is missing. With n = 2 and s = 1, thread 0 reads a[1] and thread 1
// writes a[1] after its own read, in the same phase.

__global__ void doubling(int *a, const int *b, int n)
{
    __requires(n <= 64);
    int t = threadIdx.x;
    for (int s = 1; s < n; s *= 2) {
        a[t] = b[t] + s;
        __syncthreads();
        int v = a[t ^ s];
        a[t] = v;
    }
}
