//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// Two kernels in one file, one free of races and one not; each gets its own verdict, and the header speaks
// for the file. first: every access is to the thread's own cell.

__global__ void first(int *a)
{
    a[threadIdx.x] = a[threadIdx.x] + 1;
}

__global__ void second(int *a)
{
    a[threadIdx.x] = a[threadIdx.x + 1] + 1;
}
