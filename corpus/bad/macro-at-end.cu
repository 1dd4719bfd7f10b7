// A file that ends inside a macro definition: the last line is continued and nothing follows.

__global__ void before(int *a)
{
    a[threadIdx.x] = threadIdx.x;
}

#define OPEN(x) \