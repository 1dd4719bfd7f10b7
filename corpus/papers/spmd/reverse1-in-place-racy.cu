//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The same reversal in place: one array plays both roles. Thread 0 reads data[0] and thread 63 writes
// data[0]. Source: [SPMD] section 3, reverse1 called with Out and In equal.

__global__ void reverse_in_place(float *data)
{
    int i = threadIdx.x;
    data[63 - i] = data[i];
}
