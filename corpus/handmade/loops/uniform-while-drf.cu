//pass
//--blockDim=64 --gridDim=1
// A barrier in a while loop whose bound is read from an array that the kernel does not write. All threads
// read the same limit[0], so they make the same number of iterations; write and shifted read are separated by
// barriers.

__global__ void uniform_while(int *a, const int *limit)
{
    int t = threadIdx.x;
    int i = 0;
    while (i < limit[0]) {
        a[t] = i;
        __syncthreads();
        i += 1 + (a[63 - t] & 0);
        __syncthreads();
    }
}
