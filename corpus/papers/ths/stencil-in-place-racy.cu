//xfail:DATA_RACE
//--blockDim=32 --gridDim=1
// The stencil writes into the array it reads. With n = 32 and r = 1, thread 0 reads a[1] and thread 1 writes
// a[1]. Source: [THS] the introductory stencil kernel, in place.

__global__ void stencil(int *a, int n, int r)
{
    int i = threadIdx.x;
    int sum = 0;
    for (int k = -r; k <= r; k++)
        if (0 <= i + k && i + k < n)
            sum += a[i + k];
    if (i < n)
        a[i] = sum;
}
