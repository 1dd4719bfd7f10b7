//pass
//--blockDim=64 --gridDim=1
// A rotation to the left whose index wraps below zero: (0 - 1u) % 64 is 63. 2^32 is a multiple of 64, so the
// index is t - 1 modulo 64, a bijection.

__global__ void rotate(int *a)
{
    a[(threadIdx.x - 1u) % 64u] = threadIdx.x;
}
