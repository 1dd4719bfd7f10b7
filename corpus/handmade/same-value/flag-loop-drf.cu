//pass
//--blockDim=64 --gridDim=1
// The loop of flag-loop-same.cu, where one thread sets the flag to 1 and those that ask for more change it by an atomic.

__global__ void halve(float *a, float limit)
{
    __shared__ int done;
    float value = a[threadIdx.x];
    while (true) {
        if (threadIdx.x == 0)
            done = 1;
        __syncthreads();
        if (value > limit) {
            value *= 0.5f;
            atomicExch(&done, 0);
        }
        __syncthreads();
        if (done == 1)
            break;
        __syncthreads();
    }
    a[threadIdx.x] = value;
}
