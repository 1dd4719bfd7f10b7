//xfail:DATA_RACE
//--blockDim=16 --gridDim=1
// The rows are seven cells apart but eight cells long. Thread 0 writes m[7] (j = 7) and thread 1 writes m[7]
// (j = 0), with 7 and 1.

__global__ void row_pointer(float *m)
{
    float *row = &m[threadIdx.x * 7];
    for (int j = 0; j < 8; j++)
        row[j] = threadIdx.x + j;
}
