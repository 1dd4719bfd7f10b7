//pass
//--blockDim=64 --gridDim=1
// Nested loops with one barrier, in the inner loop; the outer loop prepares the array for the next round
// after another. Write and shifted read are on the two sides of the inner barrier, and a second barrier ends
// each inner round.

__global__ void nested_barrier(int *a, int n, int m)
{
    int t = threadIdx.x;
    int v = 0;
    for (int i = 0; i < n; i++) {
        a[t] = v + i;
        for (int j = 0; j < m; j++) {
            __syncthreads();
            v += a[63 - t];
            __syncthreads();
            a[t] = v + j;
        }
    }
}
