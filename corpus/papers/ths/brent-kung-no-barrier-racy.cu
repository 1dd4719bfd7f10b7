//xfail:DATA_RACE
//--blockDim=32 --gridDim=1
// The levels of the down-sweep are no longer separated. Thread 0 writes idx[47] (d = 2, offset 32) while
// thread 2 reads idx[47] (d = 4, offset 16). Source: [THS] Fig. 4.14 without the barrier of the second loop.

#define N 64

__global__ void brent_kung(unsigned *data)
{
    __shared__ unsigned idx[N];
    unsigned tid = threadIdx.x;
    idx[2 * tid] = data[2 * tid];
    idx[2 * tid + 1] = data[2 * tid + 1];
    unsigned left, right;
    unsigned offset = 1;
    for (unsigned d = N / 2; d > 0; d /= 2) {
        __syncthreads();
        if (tid < d) {
            left = offset * (2 * tid + 1) - 1;
            right = offset * (2 * tid + 2) - 1;
            idx[right] += idx[left];
        }
        offset *= 2;
    }
    __syncthreads();
    for (unsigned d = 2; d < N; d *= 2) {
        offset /= 2;
        if (tid < d - 1) {
            left = offset * (tid + 1) - 1;
            right = left + offset / 2;
            idx[right] += left[idx];
        }
    }
    __syncthreads();
    data[2 * tid] = idx[2 * tid];
    data[2 * tid + 1] = idx[2 * tid + 1];
}
