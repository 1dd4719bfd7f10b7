//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The stride is one less than the number of threads. With n = 200, thread 63 writes a[63] at once and thread
// 0 writes a[63] in its second step. Source: [THS] the loop used to explain PUG's normalisation, stride one
// short.

__global__ void pug_stride(int *a, unsigned n)
{
    __requires(n <= 1000000);
    for (unsigned i = threadIdx.x; i <= n; i += blockDim.x - 1)
        a[i] = threadIdx.x;
}
