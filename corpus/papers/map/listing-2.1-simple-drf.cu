//pass
//--blockDim=64 --gridDim=1
// The one-dimensional core of the transpose race, repaired by a barrier after the reads. Writes go to
// tile[threadIdx.x] only, and a barrier stands between every write and every read of another cell, in both
// directions. Source: [MAP] Listing 2.1 (right) with the missing barrier.

__global__ void rounds(float *out, int n, int m)
{
    __requires(0 <= m && m <= 64);
    __shared__ float tile[128];
    float sum = 0;
    for (int r = 0; r < n; r++) {
        for (int i = 0; i < m; i++)
            tile[threadIdx.x] = r + i + threadIdx.x;
        __syncthreads();
        for (int j = 0; j < m; j++)
            sum += tile[threadIdx.x + j];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
