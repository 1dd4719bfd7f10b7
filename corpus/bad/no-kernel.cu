// Valid C++ without any kernel.

__device__ int twice(int x)
{
    return 2 * x;
}

int main()
{
    return 0;
}
