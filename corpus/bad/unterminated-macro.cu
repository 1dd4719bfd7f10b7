// The arguments of a macro call are never closed, so the call runs to the end of the file.

#define STORE(i, v) a[i] = (v)

__global__ void unterminated(int *a)
{
    STORE(threadIdx.x, (threadIdx.x + 1);
}
