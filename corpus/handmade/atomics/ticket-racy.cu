//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The counter is increased by zero, so all get the same slot. Threads 0 and 1 both get the initial value of
// next[0] and write out there, with 0 and 1.

__global__ void ticket(int *next, int *out)
{
    int slot = atomicAdd(&next[0], 0);
    out[slot] = threadIdx.x;
}
