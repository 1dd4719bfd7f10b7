//pass
//--blockDim=64 --gridDim=1
// A guard written with a bit mask: odd threads read their even neighbour. Written cells are odd and read
// cells are even.

__global__ void odd_mask(int *a)
{
    int t = threadIdx.x;
    if (t & 1)
        a[t] = a[t - 1];
}
