//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The exchange loses one of the pointers. With n = 2, in the second round src and dst are both b: thread 0
// reads b[63] and thread 63 writes b[63].

__global__ void swap(int *data, int n)
{
    __shared__ int a[64];
    __shared__ int b[64];
    int *src = a;
    int *dst = b;
    src[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    for (int r = 0; r < n; r++) {
        dst[threadIdx.x] = src[63 - threadIdx.x];
        src = dst;
        __syncthreads();
    }
    data[threadIdx.x] = src[threadIdx.x];
}
