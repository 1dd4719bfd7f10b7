//pass
//--blockDim=32 --gridDim=1
// The inclusive scan of Brent and Kung; one index is written backwards, left[idx], as in the figure. At each
// level a thread touches the vertices of its own subtree only; levels are separated by barriers. Source:
// [THS] Fig. 4.14.

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
    for (unsigned d = 2; d < N; d *= 2) {
        offset /= 2;
        __syncthreads();
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
