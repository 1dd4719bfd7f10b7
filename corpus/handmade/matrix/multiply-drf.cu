//pass
//--blockDim=[8,8] --gridDim=[2,2]
// Matrix multiplication in tiles, with a barrier before and after the use of a tile. Loading and using a tile
// are separated in both directions, and each c cell belongs to one thread.

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
        __syncthreads();
    }
    c[row * N + column] = sum;
}
