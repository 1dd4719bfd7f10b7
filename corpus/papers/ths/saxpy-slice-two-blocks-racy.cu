//xfail:DATA_RACE
//--blockDim=4 --gridDim=2
// The index forgets the block, so every block handles the same elements. Thread 0 of block 0 and thread 0 of
// block 1 both read and write y[0]. Source: [THS] Fig. 3.6 launched with two blocks.

#define N 4

__global__ void saxpy(float a, float *x, float *y)
{
    unsigned tid = threadIdx.x;
    for (int i = 0; i < N; i++) {
        unsigned idx = tid * N + i;
        y[idx] = a * x[idx] + y[idx];
    }
}
