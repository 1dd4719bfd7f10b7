//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The access is compiled in. Threads 0 and 1 both write a[0], with 0 and 1.

__global__ void locals(int *a)
{
    int tmp[4];
    for (int i = 0; i < 4; i++)
        tmp[i] = i;
    __syncthreads();
    int x = tmp[1] + tmp[2];
    (void)x;
#if 1
    a[0] = threadIdx.x;
#endif
}
