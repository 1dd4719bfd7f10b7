//pass
//--blockDim=4 --gridDim=1
// Each thread handles every N-th element, and there are N threads. The index modulo N is threadIdx.x, since
// threadIdx.x < 4 = N. Source: [THS] Fig. 3.7.

#define N 4

__global__ void saxpy(float a, float *x, float *y)
{
    unsigned tid = threadIdx.x;
    for (int i = 0; i < N; i++) {
        unsigned idx = i * N + tid;
        y[idx] = a * x[idx] + y[idx];
    }
}
