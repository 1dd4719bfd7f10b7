//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The barrier is in the outer loop only. Within k = 4, thread 0 may write s[2] at step j = 2 and thread 2
// reads s[2] at step j = 1.

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
        }
        __syncthreads();
    }
    data[t] = s[t];
}
