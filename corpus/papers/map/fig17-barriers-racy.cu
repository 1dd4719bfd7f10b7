//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The last barrier is missing, so the shifted write shares a phase with the one before. Thread 1 writes a[1]
// = 3 and thread 0 writes a[0 + 1] = 0 in the same phase. Source: [MAP] Fig. 17 barriers, last barrier
// dropped.

__global__ void barriers(int *a)
{
    a[threadIdx.x] = threadIdx.x;
    __syncthreads();
    a[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    a[threadIdx.x] = threadIdx.x + 2;
    a[threadIdx.x + 1] = 2 * threadIdx.x;
}
