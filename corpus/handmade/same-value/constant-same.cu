//pass
//--blockDim=64 --gridDim=2
// Many threads set a flag to the same constant. Threads 0 and 1 both write flag[0], and both write 1; so do
// threads of different blocks.

__global__ void set_flag(int *flag, const int *a)
{
    if (a[blockIdx.x * blockDim.x + threadIdx.x] > 3)
        flag[0] = 1;
}
