//pass
//--blockDim=64 --gridDim=1
// A loop with a barrier beside a variable that differs between threads; only the other variable governs the
// loop. The loop condition uses i and n only, which all threads share; a is accessed at the own cell. Source:
// [THS] Fig. 3.9.

__global__ void uniform_loop(int *a, int n)
{
    __requires(n <= 1000000);
    int j = threadIdx.x < n ? 1 : 2;
    int i = 0;
    while (i < n) {
        __syncthreads();
        a[threadIdx.x] = j;
        j += 3;
        i += 4;
    }
}
