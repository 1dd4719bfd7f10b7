//pass
//--blockDim=sixty-four --gridDim=[2,
// The launch header cannot be read.

__global__ void bad_header(int *a)
{
    a[threadIdx.x] = threadIdx.x;
}
