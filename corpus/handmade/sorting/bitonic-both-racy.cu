//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// Both threads of a pair do the exchange. With k = 2 and j = 1, threads 0 and 1 both read s[0] and s[1], and
// the one that exchanges writes both.

__global__ void bitonic(int *data)
{
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    for (unsigned k = 2; k <= 64; k *= 2) {
        for (unsigned j = k / 2; j > 0; j /= 2) {
            unsigned p = t ^ j;
            if ((t & k) == 0 ? s[t] > s[p] : s[t] < s[p]) {
                int x = s[t];
                s[t] = s[p];
                s[p] = x;
            }
            __syncthreads();
        }
    }
    data[t] = s[t];
}
