//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The first, unconditional run of the body is what races. With n = 0, thread 0 writes a[0 + 16] in the
// unconditional first run and thread 1 writes a[16 + 0] before the loop.

__global__ void do_while(int *a, int n)
{
    __requires(n <= 0);
    a[threadIdx.x * 16] = threadIdx.x;
    int j = 16;
    do {
        a[threadIdx.x * 16 + j] = threadIdx.x;
        j++;
    } while (j < n);
}
