//pass
//--blockDim=64 --gridDim=1
// A loop without a condition that is left by break. Each visited index is threadIdx.x modulo 64.

__global__ void break_out(int *a, int n)
{
    __requires(n <= 1000000);
    for (int i = threadIdx.x;; i += 64) {
        if (i >= n)
            break;
        a[i] = threadIdx.x;
    }
}
