//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The second part starts one cell too early. Thread 63 writes first[63] and thread 0 writes second[0], both
// pool[63].

__global__ void carve(int *a)
{
    extern __shared__ int pool[];
    int *first = pool;
    int *second = pool + 63;
    first[threadIdx.x] = a[threadIdx.x];
    second[threadIdx.x] = 2 * a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = first[threadIdx.x] + second[63 - threadIdx.x];
}
