//xfail:DATA_RACE
//--blockDim=16 --gridDim=1
// Another thread sets the count. Thread 0 writes bins[1].count = 0 and thread 1 writes bins[1].count = 4.

struct Bin {
    int count;
    int items[4];
};

__global__ void array_field(Bin *bins)
{
    for (int j = 0; j < 4; j++)
        bins[threadIdx.x].items[j] = threadIdx.x;
    bins[threadIdx.x].count = 4;
    bins[threadIdx.x + 1].count = 0;
}
