//xfail:DATA_RACE
//--blockDim=64 --gridDim=4
// Clamping the index instead of returning sends all surplus threads to the last element. With n = 62, threads
// 62 and 63 of block 0 both write out[61], with values that differ by the thread (and other blocks join
// them).

__global__ void early_return(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = min(i, n - 1);
    out[j] = in[i] + i;
}
