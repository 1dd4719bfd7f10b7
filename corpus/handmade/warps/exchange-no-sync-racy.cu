//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The exchange relies on the threads of a warp running in lock-step, which the CUDA documentation does not
// promise. Thread 0 reads s[1] while thread 1 writes s[1].

__global__ void warp_exchange(int *a)
{
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    a[threadIdx.x] = s[threadIdx.x ^ 1];
}
