// i / W * W + i % W is i again, for every W. Deliberately without a header: the launch is symbolic. With W = 2
// and V = 1, threads 0 and 1 both write a[0], with 0 and 1.

__global__ void round_trip(int *a, int W, int V)
{
    __requires(gridDim.x <= 65535 && 1 <= W && W <= 1000 && 1 <= V && V <= W);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[(i / W) * W + i % V] = i;
}
