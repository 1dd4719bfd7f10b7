//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The barriers are in an inner loop that may not run in some outer iterations, so phases reach across outer
// iterations. In iteration i = 0 the inner loop does not run: thread 1 writes a[1] and thread 0 reads a[1] in
// the same phase.

__global__ void nested_zero(int *a, int *b, int n)
{
    int t = threadIdx.x;
    for (int i = 0; i < n; i++) {
        a[t] = i;
        for (int j = 0; j < i; j++)
            __syncthreads();
        b[t] = a[t + 1];
        __syncthreads();
    }
}
