//pass
//--blockDim=64 --gridDim=1
// A write before a synchronised loop, whose first iteration is guarded so that it does not touch the array.
// The shifted write shares a phase with iteration 0 only, which writes nothing; later iterations write
// a[threadIdx.x] in phases of their own. Source: [MAP] Fig. 15 first-iter, Table 1 test 2.

__global__ void first_iter(int *a, int n)
{
    a[threadIdx.x + 1] = threadIdx.x;
    for (int x = 0; x < n; x++) {
        if (x > 0)
            a[threadIdx.x] = threadIdx.x;
        __syncthreads();
    }
}
