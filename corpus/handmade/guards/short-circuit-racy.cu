//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The operands are swapped in effect: the guard in front of the read lets a wrong thread through. Thread 31
// writes a[31] and thread 32 reads a[31].

__global__ void short_circuit(int *a, int *b)
{
    int t = threadIdx.x;
    if (t < 32)
        a[t] = t;
    if (t > 31 && a[t - 1] > 0)
        b[t] = 1;
}
