// The linear id of a thread in a block of three symbolic dimensions. Deliberately without a header: the launch
// is symbolic. With blockDim = (2,1,2), threads (1,0,0) and (0,0,1) both write a[1], with 1 and 0.

__global__ void volume(int *a)
{
    a[(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.y + threadIdx.x] = threadIdx.x;
}
