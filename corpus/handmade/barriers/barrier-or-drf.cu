//pass
//--blockDim=64 --gridDim=1
// The barrier is a voting barrier, __syncthreads_or. A voting barrier orders memory as __syncthreads does, so
// writes and shifted reads are in different phases.

__global__ void barrier_or(int *a)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    int any = __syncthreads_or(a[t] > 5);
    a[t] = s[63 - t] + any;
}
