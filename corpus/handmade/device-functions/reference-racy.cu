//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The helper halves the index. Threads 0 and 1 both write a[0], with 0 and 1.

__device__ void advance(int &i)
{
    i = i / 2;
}

__global__ void reference(int *a)
{
    int i = threadIdx.x;
    advance(i);
    a[i] = threadIdx.x;
}
