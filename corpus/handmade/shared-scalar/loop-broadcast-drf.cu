//pass
//--blockDim=64 --gridDim=1
// A shared scalar that is set anew in each round of a loop, with two barriers per round. The write of a round
// is separated by barriers from the reads of the same round and from those of the round before.

__global__ void loop_broadcast(int *a, const int *b, int n)
{
    __shared__ int base;
    int sum = 0;
    for (int r = 0; r < n; r++) {
        if (threadIdx.x == 0)
            base = b[r];
        __syncthreads();
        sum += base;
        __syncthreads();
    }
    a[threadIdx.x] = sum;
}
