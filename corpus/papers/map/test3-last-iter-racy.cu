//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The write of the last iteration of a synchronised loop shares its phase with the code after the loop. With
// n = 1, thread 0 writes a[1] = 0 in the last iteration and thread 1 writes a[1] = 1 after the loop. Source:
// [MAP] Fig. 15 last-iter, Table 1 test 3 (offset left out).

__global__ void last_iter(int *a, int n)
{
    for (int x = 0; x < n; x++) {
        __syncthreads();
        if (threadIdx.x < blockDim.x - 1)
            a[threadIdx.x + 1] = threadIdx.x;
    }
    a[threadIdx.x] = threadIdx.x;
}
