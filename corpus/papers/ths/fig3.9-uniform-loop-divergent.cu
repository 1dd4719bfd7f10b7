//xfail:BARRIER_DIVERGENCE
//--blockDim=64 --gridDim=1
// The loop is governed by the variable that differs between threads. With n = 2: threads 0 and 1 start with j
// = 1 < 2 and enter the loop, thread 2 starts with j = 2 and does not. Source: [THS] Fig. 3.9 with the other
// variable in the condition.

__global__ void uniform_loop(int *a, int n)
{
    __requires(n <= 1000000);
    int j = threadIdx.x < n ? 1 : 2;
    int i = 0;
    while (j < n) {
        __syncthreads();
        a[threadIdx.x] = j;
        j += 3;
        i += 4;
    }
}
