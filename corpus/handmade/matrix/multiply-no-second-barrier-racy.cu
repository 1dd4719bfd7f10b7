//xfail:DATA_RACE
//--blockDim=[8,8] --gridDim=[2,2]
// The barrier between using the tiles and loading the next ones is missing. Thread (0,0) reads as[0][1] in
// round m = 0 and thread (1,0) writes it in round m = 1; likewise bs[1][0] with thread (0,1).

#define T 8
#define N 16

__global__ void multiply(float *c, const float *a, const float *b)
{
    __shared__ float as[T][T];
    __shared__ float bs[T][T];
    int row = blockIdx.y * T + threadIdx.y;
    int column = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int m = 0; m < N / T; m++) {
        as[threadIdx.y][threadIdx.x] = a[row * N + m * T + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(m * T + threadIdx.y) * N + column];
        __syncthreads();
        for (int k = 0; k < T; k++)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    }
    c[row * N + column] = sum;
}
