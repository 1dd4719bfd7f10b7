//pass
//--blockDim=64 --gridDim=1
// Ping-pong by exchanging two pointers in a loop with one barrier per round. In each round src and dst are
// different arrays, all reads go to src and each thread writes its own cell of dst.

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
        int *tmp = src;
        src = dst;
        dst = tmp;
        __syncthreads();
    }
    data[threadIdx.x] = src[threadIdx.x];
}
