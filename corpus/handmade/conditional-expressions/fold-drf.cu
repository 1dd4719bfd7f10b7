//pass
//--blockDim=64 --gridDim=1
// An index given by a conditional expression with two different formulas. The first half maps to 0..31 and
// the second, by 95 - t, to 32..63.

__global__ void fold(int *a)
{
    int t = threadIdx.x;
    a[t < 32 ? t : 95 - t] = t;
}
