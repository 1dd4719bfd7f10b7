// A matrix product through tiles of a symbolic size. Deliberately without a header: the launch is symbolic. Two
// barriers part the fill and the use of the tiles in each round; a cell of a tile and one of c has one writer.

__global__ void multiply(const float *a, const float *b, float *c, int N)
{
    extern __shared__ float t[];
    __requires(blockDim.x == blockDim.y && gridDim.x <= 1000 && gridDim.y <= 1000 && N <= 30000);
    int B = blockDim.x;
    int x = blockIdx.x * B + threadIdx.x;
    int y = blockIdx.y * B + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < N; k += B) {
        t[threadIdx.y * B + threadIdx.x] = a[y * N + k + threadIdx.x];
        t[(B + threadIdx.y) * B + threadIdx.x] = b[(k + threadIdx.y) * N + x];
        __syncthreads();
        for (int j = 0; j < B; j++)
            sum += t[threadIdx.y * B + j] * t[(B + j) * B + threadIdx.x];
        __syncthreads();
    }
    if (x < N && y < N)
        c[y * N + x] = sum;
}
