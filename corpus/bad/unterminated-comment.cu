//pass
//--blockDim=64 --gridDim=1
// A comment that is never closed swallows the rest of the file, the kernel included.

/* from here on everything is comment
__global__ void swallowed(int *a)
{
    a[threadIdx.x] = threadIdx.x;
}
