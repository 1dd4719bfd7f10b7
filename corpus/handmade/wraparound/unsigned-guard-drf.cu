//pass
//--blockDim=64 --gridDim=1
// A boundary test that relies on unsigned wrap-around: threadIdx.x - 1u < 31u holds for 1..31 and not for 0.
// Threads 1..31 write a[33..63]; thread 40 alone writes a[32]. With mathematical integers thread 0 would pass
// and write a[32] as well.

__global__ void unsigned_guard(int *a)
{
    if (threadIdx.x - 1u < 31u)
        a[threadIdx.x + 32] = 1;
    if (threadIdx.x == 40)
        a[32] = 2;
}
