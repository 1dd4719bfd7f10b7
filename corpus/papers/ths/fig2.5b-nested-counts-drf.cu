//pass
//--blockDim=32 --gridDim=1
// The same nest with bounds that depend on a parameter instead of the thread. x and y are the same for all
// threads, so all agree on each iteration; accesses are to own cells. Source: [THS] Fig. 2.5b with uniform
// counts.

__global__ void counts(int *a, int k)
{
    int x = k == 0 ? 1 : 4;
    int y = k == 0 ? 4 : 1;
    for (int i = 0; i < x; i++) {
        for (int j = 0; j < y; j++) {
            a[threadIdx.x] = i + j;
            __syncthreads();
        }
    }
}
