//pass
//--blockDim=64 --gridDim=1
// A loop that goes on until no thread asks for more. All threads set the flag to 1 at the start of an iteration, those that
// ask for more set it to 0, and all read it after a barrier: they leave together, so that no thread is in the next
// iteration while another one still reads.

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
        __syncthreads();
    }
    a[threadIdx.x] = value;
}
