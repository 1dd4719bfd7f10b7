//pass
//--blockDim=64 --gridDim=1
// A strided loop with an inclusive bound. The index modulo 64 is threadIdx.x; the bound on n keeps i from
// wrapping. Source: [THS] the loop used to explain PUG's normalisation.

__global__ void pug_stride(int *a, unsigned n)
{
    __requires(n <= 1000000);
    for (unsigned i = threadIdx.x; i <= n; i += blockDim.x)
        a[i] = threadIdx.x;
}
