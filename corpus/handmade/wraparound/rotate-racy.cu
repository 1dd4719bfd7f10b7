//xfail:DATA_RACE
//--blockDim=63 --gridDim=1
// The same formula with 63, which does not divide 2^32. With mathematical integers it would be a rotation.
// 4294967295 % 63 is 3, so threads 0 and 4 both write a[3], with 0 and 4.

__global__ void rotate(int *a)
{
    a[(threadIdx.x - 1u) % 63u] = threadIdx.x;
}
