//pass
//--blockDim=64 --gridDim=2
// A maximum with a compare-and-swap loop that never touches the cell plainly. All accesses to best[0],
// including the first look, are atomicCAS.

__global__ void cas_max(int *best, const int *a)
{
    int v = a[blockIdx.x * blockDim.x + threadIdx.x];
    int old = atomicCAS(&best[0], 0, 0);
    while (old < v) {
        int seen = atomicCAS(&best[0], old, v);
        if (seen == old)
            break;
        old = seen;
    }
}
