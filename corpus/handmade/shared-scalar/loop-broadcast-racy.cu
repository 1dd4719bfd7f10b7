//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The second barrier of the round is missing, a bug found in several published code bases. With n = 2, thread
// 1 reads base in round 0 while thread 0 already writes it for round 1.

__global__ void loop_broadcast(int *a, const int *b, int n)
{
    __shared__ int base;
    int sum = 0;
    for (int r = 0; r < n; r++) {
        if (threadIdx.x == 0)
            base = b[r];
        __syncthreads();
        sum += base;
    }
    a[threadIdx.x] = sum;
}
