//xfail:DATA_RACE
//--blockDim=16 --gridDim=1
// An index macro without parentheses: threadIdx.x + 1 * WIDTH + j. Thread 0 writes m[9] (j = 1) and thread 1
// writes m[9] (j = 0), with 0 and 1.

#define WIDTH 8
#define IDX(row, column) row * WIDTH + column

__global__ void macro_index(int *m)
{
    for (int j = 0; j < WIDTH; j++)
        m[IDX(threadIdx.x + 1, j)] = threadIdx.x;
}
