//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The middle barrier is missing, so a shifted write shares a phase with the first innermost iteration. With n
// = 1, thread 0 writes a[1] in the middle loop and thread 1 writes a[1] in the innermost loop, before any
// barrier. Source: [MAP] Fig. 17 synchronised loops, one barrier dropped and its index shifted.

__global__ void sync_loops(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        a[threadIdx.x] = i;
        __syncthreads();
        for (int j = 0; j < n; j++) {
            a[threadIdx.x + 1] = threadIdx.x;
            for (int k = 0; k < n; k++) {
                a[threadIdx.x] = threadIdx.x;
                __syncthreads();
            }
        }
    }
}
