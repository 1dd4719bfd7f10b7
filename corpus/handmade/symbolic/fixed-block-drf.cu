// The launch is fixed by a precondition inside the kernel. Deliberately without a header. With 64 threads,
// 127 - t is in 64..127 and never meets t.

__global__ void fixed_block(int *a)
{
    __requires(blockDim.x == 64);
    a[threadIdx.x] = a[127 - threadIdx.x];
}
