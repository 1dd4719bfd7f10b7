//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The loop of flag-loop-same.cu without its last barrier: thread 0 reads that there is more to do and sets the flag to 1 for
// the next iteration, while thread 1 still has to read it.

__global__ void halve(float *a, float limit)
{
    __shared__ int done;
    float value = a[threadIdx.x];
    while (true) {
        done = 1;
        __syncthreads();
        if (value > limit) {
            value *= 0.5f;
            done = 0;
        }
        __syncthreads();
        if (done == 1)
            break;
    }
    a[threadIdx.x] = value;
}
