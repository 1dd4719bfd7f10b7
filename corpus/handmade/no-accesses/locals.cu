//pass
//--blockDim=64 --gridDim=1
// A kernel that computes on local variables and waits at a barrier. x and tmp are private to the thread; the
// access to a is compiled out.

__global__ void locals(int *a)
{
    int tmp[4];
    for (int i = 0; i < 4; i++)
        tmp[i] = i;
    __syncthreads();
    int x = tmp[1] + tmp[2];
    (void)x;
#if 0
    a[0] = threadIdx.x;
#endif
}
