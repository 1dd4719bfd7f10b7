//pass
//--blockDim=64 --gridDim=1
// Two threads share a row of an array; continue skips the columns of the other. Threads 2k and 2k + 1 share
// row k, one takes the even and one the odd columns.

__global__ void parity(int *a)
{
    for (int j = 0; j < 8; j++) {
        if ((j & 1) != (threadIdx.x & 1))
            continue;
        a[threadIdx.x / 2 * 8 + j] = threadIdx.x;
    }
}
