//pass
//--blockDim=64 --gridDim=1
// The inner loop runs one time more than the outer counter, so it never has zero trips. At least one barrier
// stands between the write of a[t] and the read of a[t + 1], and one more before the next write.

__global__ void nested_zero(int *a, int *b, int n)
{
    int t = threadIdx.x;
    for (int i = 0; i < n; i++) {
        a[t] = i;
        for (int j = 0; j <= i; j++)
            __syncthreads();
        b[t] = a[t + 1];
        __syncthreads();
    }
}
