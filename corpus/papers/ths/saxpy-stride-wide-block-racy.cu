//xfail:DATA_RACE
//--blockDim=8 --gridDim=1
// Eight threads stride by four. Thread 4 writes y[4] (i = 0) and thread 0 writes y[4] (i = 1). Source: [THS]
// Fig. 3.7 launched with more threads than the stride.

#define N 4

__global__ void saxpy(float a, float *x, float *y)
{
    unsigned tid = threadIdx.x;
    for (int i = 0; i < N; i++) {
        unsigned idx = i * N + tid;
        y[idx] = a * x[idx] + y[idx];
    }
}
