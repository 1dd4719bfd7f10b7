//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The condition for skipping does not look at the thread. Threads 0 and 1 both write a[0], with 0 and 1.

__global__ void parity(int *a)
{
    for (int j = 0; j < 8; j++) {
        if ((j & 1) != 0)
            continue;
        a[threadIdx.x / 2 * 8 + j] = threadIdx.x;
    }
}
