//pass
//--blockDim=64 --gridDim=1
// A read in the right operand of && happens only when the left operand is true. Thread 0 writes a[0] and is
// the only one to do so; the read of a[t] needs t > 31 and t is then its own cell.

__global__ void short_circuit(int *a, int *b)
{
    int t = threadIdx.x;
    if (t < 32)
        a[t + 32 - 32] = t;
    if (t > 31 && a[t] > 0)
        b[t] = 1;
}
