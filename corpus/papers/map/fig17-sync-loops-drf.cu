//pass
//--blockDim=64 --gridDim=1
// Nested loops with a barrier at every level. Every access is a[threadIdx.x]. Source: [MAP] Fig. 17
// synchronised loops.

__global__ void sync_loops(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        a[threadIdx.x] = i;
        __syncthreads();
        for (int j = 0; j < n; j++) {
            a[threadIdx.x] = i + j;
            __syncthreads();
            for (int k = 0; k < n; k++) {
                a[threadIdx.x] = i + j + k;
                __syncthreads();
            }
        }
    }
}
