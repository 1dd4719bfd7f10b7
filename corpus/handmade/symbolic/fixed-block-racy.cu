// The same access for every block. Deliberately without a header: the launch is symbolic. With blockDim.x =
// 128, thread 0 reads a[127] and thread 127 writes a[127].

__global__ void fixed_block(int *a)
{
    a[threadIdx.x] = a[127 - threadIdx.x];
}
