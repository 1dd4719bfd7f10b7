//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The row length of the second use is not its pitch. Thread 0 writes b[2] (j = 2) and thread 1 writes b[2] (j
// = 0), with 0 and 1.

template <int WIDTH, int PITCH>
__device__ void fill_row(int *m)
{
    for (int j = 0; j < WIDTH; j++)
        m[threadIdx.x * PITCH + j] = threadIdx.x;
}

__global__ void templated(int *a, int *b)
{
    fill_row<4, 4>(a);
    fill_row<4, 2>(b);
}
