//pass
//--blockDim=64 --gridDim=1
// The last iteration of the nest and the first iteration of the following loop share a phase and write the
// same cell, but from the same thread. That phase has x = y = n and z = 2n, so both statements write
// a[threadIdx.x + 2n]; every other phase holds one injective write. Source: [MAP] Fig. 15
// last-iter-first-iter, Table 1 test 4 (the z loop taken as following the nest, as the text says).

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
        a[threadIdx.x + z] = threadIdx.x;
        __syncthreads();
    }
}
