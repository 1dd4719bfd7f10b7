//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The second barrier of the time step is missing. With n = 2, thread 0 (t = 1) writes s[1] in step 0 and
// thread 1 (t = 2) reads s[1] in step 1.

__global__ void time_steps(int *a, int n)
{
    __shared__ int s[66];
    int t = threadIdx.x + 1;
    s[t] = a[t];
    if (t == 1) {
        s[0] = 0;
        s[65] = 0;
    }
    __syncthreads();
    for (int k = 0; k < n; k++) {
        int v = s[t - 1] + s[t + 1];
        __syncthreads();
        s[t] = v;
    }
    a[t] = s[t];
}
