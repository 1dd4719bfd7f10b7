//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The choice sends too many threads to the first array. Threads 0 and 32 both write a[0], with 0 and 32.

__global__ void select_array(int *a, int *b)
{
    int *p = threadIdx.x < 48 ? a : b;
    p[threadIdx.x % 32] = threadIdx.x;
}
