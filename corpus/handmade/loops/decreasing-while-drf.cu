//pass
//--blockDim=64 --gridDim=1
// A while loop that walks down from the end of the array. n - 1 - i is threadIdx.x modulo 64 throughout.

__global__ void decreasing(int *a, int n)
{
    __requires(0 <= n && n <= 1000000);
    int i = n - 1 - threadIdx.x;
    while (i >= 0) {
        a[i] = threadIdx.x;
        i -= 64;
    }
}
