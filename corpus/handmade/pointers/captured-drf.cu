//pass
//--blockDim=64 --gridDim=1
// The offset of a pointer is what it was when the pointer was made, whatever happens to the variable later. p
// is a + t although i is 0 at the time of the access.

__global__ void captured(int *a)
{
    int i = threadIdx.x;
    int *p = a + i;
    i = 0;
    p[i] = threadIdx.x;
}
