//pass
//--blockDim=64 --gridDim=1
// Many guards, each of which lets one thread write its own cell. Every access is a[threadIdx.x]. Source:
// [MAP] Fig. 17 conditionals.

__global__ void conditionals(int *a)
{
    if (threadIdx.x == 0)
        a[threadIdx.x] = 10;
    if (threadIdx.x == 1)
        a[threadIdx.x] = 11;
    if (threadIdx.x == 2)
        a[threadIdx.x] = 12;
    if (threadIdx.x == 3)
        a[threadIdx.x] = 13;
}
