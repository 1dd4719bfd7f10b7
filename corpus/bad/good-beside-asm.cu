//--blockDim=64 --gridDim=1
// One kernel uses inline assembly, which may do anything to the memory it is given; the other one is plain.

__global__ void uses_asm(int *a)
{
    asm volatile("multimem.st.global.u32 [%0], %1;" : : "l"(a), "r"(threadIdx.x));
}

__global__ void good(int *a)
{
    a[threadIdx.x] = threadIdx.x;
}
