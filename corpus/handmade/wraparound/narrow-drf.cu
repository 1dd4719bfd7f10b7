//pass
//--blockDim=256 --gridDim=1
// The index is kept in an unsigned char, and the block has just as many threads as it has values. For t below
// 256 the conversion keeps the value.

__global__ void narrow(int *a)
{
    unsigned char i = threadIdx.x;
    a[i] = threadIdx.x;
}
