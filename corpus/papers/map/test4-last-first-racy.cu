//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The last iteration of a nested synchronised loop meets the first iteration of the loop that follows. With n
// = 1, thread 1 writes a[3] (x = y = 1) and thread 0 writes a[3] (z = 2, plus 1) in the same phase, with
// different values. Source: [MAP] Fig. 15 last-iter-first-iter, Table 1 test 4.

__global__ void last_first(int *a, int n)
{
    __requires(0 <= n && n <= 1000);
    for (int x = 1; x < n + 1; x++) {
        for (int y = 1; y < x + 1; y++) {
            __syncthreads();
            a[threadIdx.x + x + y] = threadIdx.x;
        }
    }
    for (int z = n * 2; z < n * 3; z++) {
        a[threadIdx.x + z + 1] = threadIdx.x;
        __syncthreads();
    }
}
