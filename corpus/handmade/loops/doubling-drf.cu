//pass
//--blockDim=64 --gridDim=1
// A doubling loop with a parameter as its bound and a barrier in each round. In one round thread t writes
// a[t] after reading nothing but b; the partner read of a is behind a barrier on both sides.

__global__ void doubling(int *a, const int *b, int n)
{
    __requires(n <= 64);
    int t = threadIdx.x;
    for (int s = 1; s < n; s *= 2) {
        a[t] = b[t] + s;
        __syncthreads();
        int v = a[t ^ s];
        __syncthreads();
        a[t] = v;
    }
}
