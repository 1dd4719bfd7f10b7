//pass
//--blockDim=256 --gridDim=1
// The eight bits of the number of a thread are reversed. Each step exchanges groups of bits, which can be
// undone, so threads have different cells.

__global__ void reverse(unsigned *a)
{
    unsigned t = threadIdx.x, r = t;
    r = ((r & 0x55) << 1) | ((r >> 1) & 0x55);
    r = ((r & 0x33) << 2) | ((r >> 2) & 0x33);
    r = ((r & 0x0f) << 4) | ((r >> 4) & 0x0f);
    a[r] = t;
}
