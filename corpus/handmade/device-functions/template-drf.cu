//pass
//--blockDim=64 --gridDim=1
// A template helper with the width as its argument, used with two widths. Cells 4t .. 4t + 3 in the first
// array and 2t, 2t + 1 in the second.

template <int WIDTH>
__device__ void fill_row(int *m)
{
    for (int j = 0; j < WIDTH; j++)
        m[threadIdx.x * WIDTH + j] = threadIdx.x;
}

__global__ void templated(int *a, int *b)
{
    fill_row<4>(a);
    fill_row<2>(b);
}
