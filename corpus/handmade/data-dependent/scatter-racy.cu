//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// Indices read from an array about which nothing is known. With idx[0] = idx[1] = 0, threads 0 and 1 both
// write a[0], with 0 and 1. The witness needs those contents, so an honest tool may only call it possible.

__global__ void scatter(int *a, const int *idx)
{
    a[idx[threadIdx.x]] = threadIdx.x;
}
