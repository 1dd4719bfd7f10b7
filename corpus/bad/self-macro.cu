// Macros that mention themselves and each other: the preprocessor must stop, and the kernel is valid C++.

#define index (index)
#define PING PONG
#define PONG PING

__global__ void self_reference(int *a)
{
    int PING = 1;
    int index = threadIdx.x;
    a[index] = PING;
}
