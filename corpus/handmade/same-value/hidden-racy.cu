//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// A harmless clearing write by all threads must not hide a real race on the same array. Thread 1 writes a[0]
// = 0 in the first statement and thread 0 writes a[0] = 5 in the second.

__global__ void hidden(int *a)
{
    a[0] = 0;
    a[threadIdx.x] = threadIdx.x + 5;
}
