//pass
//--blockDim=64 --gridDim=1
// The guard keeps the last iteration below cell T, and the code after the loop starts at cell T. Iterations
// write cells 1..63 and the tail writes cells 64..127; within each statement the index is injective in
// threadIdx.x. Source: [MAP] Fig. 15 last-iter, Table 1 test 3.

__global__ void last_iter(int *a, int n)
{
    for (int x = 0; x < n; x++) {
        __syncthreads();
        if (threadIdx.x < blockDim.x - 1)
            a[threadIdx.x + 1] = threadIdx.x;
    }
    a[threadIdx.x + blockDim.x] = threadIdx.x;
}
