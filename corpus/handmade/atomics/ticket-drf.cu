//pass
//--blockDim=64 --gridDim=2
// Each thread gets a slot of its own from an atomic counter. The results of atomicAdd(next, 1) on a counter
// that nothing else changes are pairwise distinct (128 threads cannot wrap it).

__global__ void ticket(int *next, int *out)
{
    int slot = atomicAdd(&next[0], 1);
    out[slot] = blockIdx.x * blockDim.x + threadIdx.x;
}
