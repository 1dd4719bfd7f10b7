//--blockDim=64 --gridDim=1
// A precondition contradicts the launch of the header. The header says 64 threads and the kernel requires
// 128.

__global__ void launch_contradiction(int *a)
{
    __requires(blockDim.x == 128);
    a[threadIdx.x / 2] = threadIdx.x;
}
