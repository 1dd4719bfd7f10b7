//pass
//--blockDim=16 --gridDim=1
// An index macro with parentheses where they belong. (t + 0) * 8 + j is cell j of row t.

#define WIDTH 8
#define IDX(row, column) ((row) * WIDTH + (column))

__global__ void macro_index(int *m)
{
    for (int j = 0; j < WIDTH; j++)
        m[IDX(threadIdx.x + 1, j)] = threadIdx.x;
}
