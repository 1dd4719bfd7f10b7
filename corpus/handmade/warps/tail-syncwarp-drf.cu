//pass
//--blockDim=64 --gridDim=1
// The last steps of a reduction by one warp, with reads and writes separated by __syncwarp. Only threads
// below 32 work; in each step the read and the write are separated by __syncwarp in both directions.

__global__ void warp_tail(int *a)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    if (t < 32) {
        int v = s[t];
        for (int d = 32; d > 0; d /= 2) {
            v += s[t + d];
            __syncwarp();
            s[t] = v;
            __syncwarp();
        }
    }
    if (t == 0)
        a[0] = s[0];
}
