//pass
//--blockDim=64 --gridDim=1
// A pointer chosen by the thread between two arrays. Threads 0..31 write a[0..31] and threads 32..63 write
// b[0..31].

__global__ void select_array(int *a, int *b)
{
    int *p = threadIdx.x < 32 ? a : b;
    p[threadIdx.x % 32] = threadIdx.x;
}
