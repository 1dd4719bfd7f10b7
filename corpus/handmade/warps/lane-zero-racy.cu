//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The __syncwarp after lane 0's write is missing. Thread 0 writes s[0] while thread 1 reads s[0].

__global__ void lane_zero(int *a)
{
    __shared__ int s[2];
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = a[threadIdx.x];
    a[threadIdx.x] = s[threadIdx.x / 32];
}
