//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The access uses the next index, and own cells are set before the loop. Thread 0 writes a[1] = 0 in its
// first round and thread 1 writes a[1] = 1 before the loop.

__global__ void break_out(int *a, int n)
{
    __requires(n <= 1000000);
    a[threadIdx.x] = threadIdx.x;
    for (int i = threadIdx.x;; i += 64) {
        a[i + 1] = threadIdx.x;
        if (i >= n)
            break;
    }
}
