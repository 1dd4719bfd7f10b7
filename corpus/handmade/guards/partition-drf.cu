//pass
//--blockDim=64 --gridDim=1
// The two branches of a condition write two parts of an array. Threads below 32 write cells 0..31, the others
// cells 32..63 in reverse.

__global__ void partition(int *a)
{
    int t = threadIdx.x;
    if (t < 32)
        a[t] = t;
    else
        a[95 - t] = t;
}
