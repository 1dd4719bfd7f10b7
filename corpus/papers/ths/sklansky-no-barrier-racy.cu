//xfail:DATA_RACE
//--blockDim=32 --gridDim=1
// The levels are no longer separated. Thread 0 writes idx[1] at level o = 1 and thread 1 reads idx[1] at
// level o = 2. Source: [THS] the Sklansky scan without its barrier.

#define N 64

__global__ void sklansky(int *data)
{
    __shared__ int idx[N];
    int t = threadIdx.x;
    idx[t] = data[t];
    idx[t + 32] = data[t + 32];
    __syncthreads();
    for (int o = 1; o < N; o *= 2) {
        int base = (t / o) * (2 * o);
        int left = base + o - 1;
        int right = base + o + t % o;
        idx[right] = idx[left] + idx[right];
    }
    __syncthreads();
    data[t] = idx[t];
    data[t + 32] = idx[t + 32];
}
