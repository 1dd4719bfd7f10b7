//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The usual loop, whose first look is a plain read. With a[0] = 1 and best[0] = 0 at the start, thread 0
// swaps best[0] while thread 1 reads it plainly.

__global__ void cas_max(int *best, const int *a)
{
    int v = a[threadIdx.x];
    int old = best[0];
    while (old < v) {
        int seen = atomicCAS(&best[0], old, v);
        if (seen == old)
            break;
        old = seen;
    }
}
