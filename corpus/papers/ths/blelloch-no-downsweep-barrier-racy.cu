//xfail:DATA_RACE
//--blockDim=32 --gridDim=1
// The levels of the tree are no longer separated on the way down. Thread 0 writes idx[63] at the first level
// (offset 32) and thread 1 reads and writes idx[63] at the second (offset 16). Source: [THS] Fig. 4.4 without
// the barrier of the down-sweep.

#define N 64

__global__ void blelloch(int *data)
{
    __shared__ int idx[N];
    int tid = threadIdx.x;
    idx[2 * tid] = data[2 * tid];
    idx[2 * tid + 1] = data[2 * tid + 1];
    int offset = N;
    __syncthreads();
    for (int d = 1; d < N; d *= 2) {
        offset /= 2;
        if (tid < d) {
            int left = offset * (2 * tid + 1) - 1;
            int right = offset * (2 * tid + 2) - 1;
            int temp = idx[left];
            idx[left] = idx[right];
            idx[right] += temp;
        }
    }
    __syncthreads();
    data[2 * tid] = idx[2 * tid];
    data[2 * tid + 1] = idx[2 * tid + 1];
}
