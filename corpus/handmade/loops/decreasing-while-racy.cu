//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The same walk with a step that is one short. With n = 200, thread 0 writes a[136] (199 - 63) in its second
// step and thread 63 writes a[136] in its first.

__global__ void decreasing(int *a, int n)
{
    __requires(0 <= n && n <= 1000000);
    int i = n - 1 - threadIdx.x;
    while (i >= 0) {
        a[i] = threadIdx.x;
        i -= 63;
    }
}
