//pass
//--blockDim=64 --gridDim=1
// Bitonic sort in shared memory. t and t ^ j form disjoint pairs (j is a power of two), and only the smaller
// of a pair touches both cells; one barrier per step.

__global__ void bitonic(int *data)
{
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    for (unsigned k = 2; k <= 64; k *= 2) {
        for (unsigned j = k / 2; j > 0; j /= 2) {
            unsigned p = t ^ j;
            if (p > t) {
                if ((t & k) == 0 ? s[t] > s[p] : s[t] < s[p]) {
                    int x = s[t];
                    s[t] = s[p];
                    s[p] = x;
                }
            }
            __syncthreads();
        }
    }
    data[t] = s[t];
}
