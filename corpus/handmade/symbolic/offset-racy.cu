// Nothing is known about the distance. Deliberately without a header: the launch is symbolic. With blockDim.x
// = 2 and d = 1, thread 0 reads a[1] and thread 1 writes a[1].

__global__ void offset(int *a, unsigned d)
{
    a[threadIdx.x] = a[threadIdx.x + d];
}
