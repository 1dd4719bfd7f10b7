//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The variable is reset before the pointer is made. Threads 0 and 1 both write a[0], with 0 and 1.

__global__ void captured(int *a)
{
    int i = threadIdx.x;
    i = 0;
    int *p = a + i;
    p[i] = threadIdx.x;
}
