//pass
//--blockDim=32 --gridDim=1
// The exclusive scan over 64 elements by 32 threads: a tree up, a tree down, two variables moving in opposite
// directions. offset * d is 64 up and 32 or 64 down, so the touched vertices of one level are disjoint
// between threads; levels are separated by barriers. Source: [THS] Figs. 4.4 and 4.15, the up- and down-sweep
// of Blelloch's scan.

#define N 64

__global__ void blelloch(int *data)
{
    __shared__ int idx[N];
    int tid = threadIdx.x;
    idx[2 * tid] = data[2 * tid];
    idx[2 * tid + 1] = data[2 * tid + 1];
    int offset = 1;
    for (int d = N / 2; d > 0; d /= 2) {
        __syncthreads();
        if (tid < d) {
            int left = offset * (2 * tid + 1) - 1;
            int right = offset * (2 * tid + 2) - 1;
            idx[right] += idx[left];
        }
        offset *= 2;
    }
    if (tid == 0)
        idx[N - 1] = 0;
    for (int d = 1; d < N; d *= 2) {
        offset /= 2;
        __syncthreads();
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
