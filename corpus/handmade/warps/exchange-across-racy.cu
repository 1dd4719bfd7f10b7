//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The partner is in the other warp, so __syncwarp does not order the pair. Thread 0 reads s[32] while thread
// 32 writes s[32].

__global__ void warp_exchange(int *a)
{
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncwarp();
    a[threadIdx.x] = s[threadIdx.x ^ 32];
}
