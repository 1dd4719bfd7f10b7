// A closing brace is missing in the first kernel; the second one is whole.

__global__ void open_brace(int *a, int n)
{
    if (threadIdx.x < n) {
        a[threadIdx.x] = n;
}

__global__ void whole(int *a)
{
    a[threadIdx.x] = 1;
}
