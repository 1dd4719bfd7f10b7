//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The flag is set to something that depends on the thread. With a[0] and a[1] above 3, threads 0 and 1 write
// flag[0], with 0 and 1.

__global__ void set_flag(int *flag, const int *a)
{
    if (a[threadIdx.x] > 3)
        flag[0] = threadIdx.x;
}
