//pass
//--blockDim=32 --gridDim=1
// At each level the last element of the left half is added to all elements of the right half. With o a power
// of two, right cells have bit o set and are one per thread, and left cells have it clear; one barrier per
// level. Source: [THS] the Sklansky scan (the thesis has no listing; written from the algorithm).

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
        __syncthreads();
    }
    data[t] = idx[t];
    data[t + 32] = idx[t + 32];
}
