//xfail:DATA_RACE
//--blockDim=512 --gridDim=1
// The same index in a block that is too large for it. Threads 0 and 256 both write a[0], with 0 and 256.

__global__ void narrow(int *a)
{
    unsigned char i = threadIdx.x;
    a[i] = threadIdx.x;
}
