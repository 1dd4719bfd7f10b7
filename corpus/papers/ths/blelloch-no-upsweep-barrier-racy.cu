//xfail:DATA_RACE
//--blockDim=32 --gridDim=1
// The levels of the tree are no longer separated on the way up. Thread 1 writes idx[3] at the first level and
// thread 0 writes idx[3] (and reads idx[1]) at the second. Source: [THS] Fig. 4.4 without the barrier of the
// up-sweep.

#define N 64

__global__ void blelloch(int *data)
{
    __shared__ int idx[N];
    int tid = threadIdx.x;
    idx[2 * tid] = data[2 * tid];
    idx[2 * tid + 1] = data[2 * tid + 1];
    __syncthreads();
    int offset = 1;
    for (int d = N / 2; d > 0; d /= 2) {
        if (tid < d) {
            int left = offset * (2 * tid + 1) - 1;
            int right = offset * (2 * tid + 2) - 1;
            idx[right] += idx[left];
        }
        offset *= 2;
    }
    __syncthreads();
    data[2 * tid] = idx[2 * tid];
    data[2 * tid + 1] = idx[2 * tid + 1];
}
