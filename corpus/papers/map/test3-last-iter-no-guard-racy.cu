//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// As test 3, with the offset but without the guard, so that only one cell is shared. With n = 1, thread 63
// writes a[64] = 63 in the last iteration and thread 0 writes a[64] = 0 after the loop. Source: [MAP] Fig. 15
// last-iter, Table 1 test 3 (guard left out).

__global__ void last_iter(int *a, int n)
{
    for (int x = 0; x < n; x++) {
        __syncthreads();
        a[threadIdx.x + 1] = threadIdx.x;
    }
    a[threadIdx.x + blockDim.x] = threadIdx.x;
}
