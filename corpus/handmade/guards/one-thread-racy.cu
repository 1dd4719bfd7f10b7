//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The guard lets one thread of every warp through. Threads 0 and 32 both write out[0], with v and v + 1.

__global__ void one_thread(int *out, int v)
{
    if (threadIdx.x % 32 == 0)
        out[0] = v + threadIdx.x / 32;
}
