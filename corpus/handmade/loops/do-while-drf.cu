//pass
//--blockDim=64 --gridDim=1
// A do-while loop: the body runs once even when the condition is false at the start. Every access is to row
// threadIdx.x of a matrix of width 16, and the column is below 16.

__global__ void do_while(int *a, int n)
{
    __requires(n <= 16);
    int j = 0;
    do {
        a[threadIdx.x * 16 + j] = threadIdx.x;
        j++;
    } while (j < n);
}
