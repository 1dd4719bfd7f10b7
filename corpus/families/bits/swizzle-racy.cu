//xfail:DATA_RACE
//--blockDim=[32,32] --gridDim=1
// A tile whose columns are permuted by the row, against bank conflicts. Thread (1,0) writes s[1], and thread
// (0,1) reads s[0 * 32 + (0 ^ 1)], the same cell.

__global__ void swizzle(const int *in, int *out)
{
    __shared__ int s[32 * 32];
    unsigned x = threadIdx.x, y = threadIdx.y;
    s[y * 32 + (x ^ y)] = in[y * 32 + x];
    out[y * 32 + x] = s[x * 32 + (x ^ y)];
}
