//pass
//--blockDim=[32,32] --gridDim=1
// A tile whose columns are permuted by the row, against bank conflicts. In a row the exclusive or with the row
// can be undone; the barrier parts writes from reads.

__global__ void swizzle(const int *in, int *out)
{
    __shared__ int s[32 * 32];
    unsigned x = threadIdx.x, y = threadIdx.y;
    s[y * 32 + (x ^ y)] = in[y * 32 + x];
    __syncthreads();
    out[y * 32 + x] = s[x * 32 + (x ^ y)];
}
