//xfail:DATA_RACE
//--blockDim=64 --gridDim=2
// The index is halved. With v.size = 100, threads 0 and 1 of block 0 both update v.data[0].

struct View {
    int *data;
    int size;
};

__global__ void view(View v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < v.size)
        v.data[i / 2] += 1;
}
