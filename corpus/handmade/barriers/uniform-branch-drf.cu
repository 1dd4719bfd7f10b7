//pass
//--blockDim=64 --gridDim=1
// A barrier in a branch that depends on a parameter; the accesses that need it are in the same branch. mode
// is the same for all threads, and the write and the shifted read are on either side of the barrier.

__global__ void uniform_branch(int *a, int mode)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (mode > 0) {
        s[t] = a[t];
        __syncthreads();
        a[t] = s[63 - t];
    }
}
