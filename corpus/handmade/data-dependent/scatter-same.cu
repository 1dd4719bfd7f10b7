//pass
//--blockDim=64 --gridDim=1
// A scatter that stores the same constant everywhere. With idx[0] = idx[1] = 0, threads 0 and 1 both write
// a[0] = 1; all stores are of 1.

__global__ void mark(int *a, const int *idx)
{
    a[idx[threadIdx.x]] = 1;
}
