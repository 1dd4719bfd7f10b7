//xfail:BARRIER_DIVERGENCE
//--blockDim=64 --gridDim=1
// The threads leave the loop in different iterations. With n = 2, thread 2 breaks in iteration 0 and thread 0
// goes on to the barrier of iteration 1.

__global__ void uniform_break(int *a, int n)
{
    __requires(n <= 1000000);
    for (int i = 0;; i++) {
        a[threadIdx.x] = i;
        __syncthreads();
        if (i + (int)threadIdx.x >= n)
            break;
    }
}
