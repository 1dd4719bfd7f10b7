//pass
//--blockDim=64 --gridDim=1
// One thread of the block writes the result. Only thread 0 passes the guard.

__global__ void one_thread(int *out, int v)
{
    if (threadIdx.x == 0)
        out[0] = v;
}
