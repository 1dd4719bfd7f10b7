//xfail:DATA_RACE
//--blockDim=64 --gridDim=2
// The exchange without its barrier. Thread 0 reads s[1] while thread 1 of the same block writes s[1].

__global__ void exchange(int *a)
{
    __shared__ int s[64];
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = a[g];
    a[g] = s[(threadIdx.x + 1) % 64];
}
