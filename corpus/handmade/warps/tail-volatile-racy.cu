//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The old way, with volatile instead of __syncwarp. In the step of 16, thread 0 reads s[16] while thread 16
// writes s[16]; volatile orders nothing between threads.

__global__ void warp_tail(int *a)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    if (t < 32) {
        volatile int *p = s;
        p[t] += p[t + 32];
        p[t] += p[t + 16];
        p[t] += p[t + 8];
        p[t] += p[t + 4];
        p[t] += p[t + 2];
        p[t] += p[t + 1];
    }
    if (t == 0)
        a[0] = s[0];
}
