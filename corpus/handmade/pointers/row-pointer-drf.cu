//pass
//--blockDim=16 --gridDim=1
// A local pointer to the thread's row. Row t is cells 8t .. 8t + 7.

__global__ void row_pointer(float *m)
{
    float *row = &m[threadIdx.x * 8];
    for (int j = 0; j < 8; j++)
        row[j] = threadIdx.x + j;
}
