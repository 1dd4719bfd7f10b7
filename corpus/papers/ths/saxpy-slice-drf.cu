//pass
//--blockDim=4 --gridDim=1
// Each thread handles a slice of N consecutive elements. threadIdx.x * N + i with 0 <= i < N determines
// threadIdx.x. Source: [THS] Fig. 3.6.

#define N 4

__global__ void saxpy(float a, float *x, float *y)
{
    unsigned tid = threadIdx.x;
    for (int i = 0; i < N; i++) {
        unsigned idx = tid * N + i;
        y[idx] = a * x[idx] + y[idx];
    }
}
