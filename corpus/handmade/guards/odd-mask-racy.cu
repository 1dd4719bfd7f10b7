//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The mask tests the wrong bit. Threads 2 and 3 pass: thread 3 reads a[2] and thread 2 writes a[2].

__global__ void odd_mask(int *a)
{
    int t = threadIdx.x;
    if (t & 2)
        a[t] = a[t - 1];
}
