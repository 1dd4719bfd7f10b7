//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The loop over z now follows every run of the y loop, so x is not n in that phase. With n = 2 and x = y = 1,
// thread 2 writes a[4] and thread 0 writes a[4] (z = 4) in the same phase, with different values. Source:
// [MAP] Fig. 15 last-iter-first-iter, with the z loop inside the x loop, as the braces of the printed figure
// can be read.

__global__ void nested_z(int *a, int n)
{
    __requires(0 <= n && n <= 1000);
    for (int x = 1; x < n + 1; x++) {
        for (int y = 1; y < x + 1; y++) {
            __syncthreads();
            a[threadIdx.x + x + y] = threadIdx.x;
        }
        for (int z = n * 2; z < n * 3; z++) {
            a[threadIdx.x + z] = threadIdx.x;
            __syncthreads();
        }
    }
}
