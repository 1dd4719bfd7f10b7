//pass
//--blockDim=2 --gridDim=1
// A decreasing loop whose step does not divide its range: it visits 9, 6, 3, not 1, 4, 7. Thread 0 writes
// a[9], a[6], a[3]; thread 1 writes a[7], a[4], a[1].

__global__ void anchor(int *a)
{
    if (threadIdx.x == 0) {
        for (int i = 9; i > 0; i -= 3)
            a[i] = 10;
    } else {
        for (int i = 7; i > 0; i -= 3)
            a[i] = 11;
    }
}
