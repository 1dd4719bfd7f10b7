//pass
//--blockDim=64 --gridDim=1
// Nested loops without barriers that only touch the thread's own cell. Every access is a[threadIdx.x].
// Source: [MAP] Fig. 17 unsynchronised loops.

__global__ void unsync_loops(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        a[threadIdx.x] = i;
        for (int j = 0; j < n; j++) {
            a[threadIdx.x] = i + j;
            for (int k = 0; k < n; k++)
                a[threadIdx.x] = i + j + k;
        }
    }
}
