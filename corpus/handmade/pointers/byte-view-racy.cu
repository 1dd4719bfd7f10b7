//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// Bytes and whole ints of the same array are written in one phase. Thread 0 writes the int a[0], bytes 0..3,
// and thread 1 writes byte 1 with another value.

__global__ void byte_view(int *a)
{
    unsigned char *bytes = (unsigned char *)a;
    bytes[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0)
        a[0] = -1;
}
