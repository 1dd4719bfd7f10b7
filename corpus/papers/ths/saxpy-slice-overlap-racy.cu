//xfail:DATA_RACE
//--blockDim=4 --gridDim=1
// The slice of a thread runs one element into the next slice. Thread 0 writes y[4] (i = 4) and thread 1
// writes y[4] (i = 0). Source: [THS] Fig. 3.6 with one iteration too many.

#define N 4

__global__ void saxpy(float a, float *x, float *y)
{
    unsigned tid = threadIdx.x;
    for (int i = 0; i <= N; i++) {
        unsigned idx = tid * N + i;
        y[idx] = a * x[idx] + y[idx];
    }
}
