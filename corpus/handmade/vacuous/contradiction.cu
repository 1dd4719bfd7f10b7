//--blockDim=64 --gridDim=1
// The preconditions contradict each other, so the kernel can never run as assumed. n > 8 and n < 4 has no
// solution; without the check of assumptions the racy write would be proved race-free.

__global__ void contradiction(int *a, int n)
{
    __requires(n > 8);
    __requires(n < 4);
    a[0] = threadIdx.x + n;
}
