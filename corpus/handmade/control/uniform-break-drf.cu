//pass
//--blockDim=64 --gridDim=1
// A loop with barriers that all threads leave by break in the same iteration. i and n are the same for all
// threads; the two barriers separate write and shifted read in both directions.

__global__ void uniform_break(int *a, int n)
{
    __requires(n <= 1000000);
    int v = 0;
    for (int i = 0;; i++) {
        a[threadIdx.x] = v + i;
        __syncthreads();
        v = a[63 - threadIdx.x];
        __syncthreads();
        if (i >= n)
            break;
    }
}
