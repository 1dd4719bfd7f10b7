//pass
//--blockDim=64 --gridDim=1
// Exchange inside each warp, ordered by __syncwarp. Thread t reads the cell of t ^ 1, a thread of the same
// warp, and __syncwarp separates it from the write.

__global__ void warp_exchange(int *a)
{
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncwarp();
    a[threadIdx.x] = s[threadIdx.x ^ 1];
}
