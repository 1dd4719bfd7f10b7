//pass
//--blockDim=64 --gridDim=1
// An int array written byte by byte, one thread per byte. Thread t writes byte t; distinct bytes of one int
// are distinct locations.

__global__ void byte_view(int *a)
{
    unsigned char *bytes = (unsigned char *)a;
    bytes[threadIdx.x] = threadIdx.x;
}
