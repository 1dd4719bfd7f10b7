//pass
//--blockDim=64 --gridDim=1
// Lane 0 of each warp leaves a value for the other lanes. The write of s[warp] and the reads of the same warp
// are separated by __syncwarp; other warps use other cells.

__global__ void lane_zero(int *a)
{
    __shared__ int s[2];
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = a[threadIdx.x];
    __syncwarp();
    a[threadIdx.x] = s[threadIdx.x / 32];
}
