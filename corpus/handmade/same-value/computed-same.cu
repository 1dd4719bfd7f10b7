//pass
//--blockDim=64 --gridDim=1
// Pairs of threads compute the same value for their common cell. Threads 0 and 1 both write a[0] = 0; in
// general both write t / 2 to a[t / 2].

__global__ void pair_value(int *a)
{
    a[threadIdx.x / 2] = threadIdx.x / 2;
}
