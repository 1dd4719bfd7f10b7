//pass
//--blockDim=[1024,1024] --gridDim=1
// More threads than the hardware allows in a block (1024).

__global__ void huge_block(int *a)
{
    a[threadIdx.y * blockDim.x + threadIdx.x] = 1;
}
