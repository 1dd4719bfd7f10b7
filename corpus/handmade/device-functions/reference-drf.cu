//pass
//--blockDim=64 --gridDim=1
// A helper that changes the index through a reference. After advance the index is 2t, which is injective.

__device__ void advance(int &i)
{
    i = i * 2;
}

__global__ void reference(int *a)
{
    int i = threadIdx.x;
    advance(i);
    a[i] = threadIdx.x;
}
