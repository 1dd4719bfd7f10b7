//pass
//--blockDim=16 --gridDim=1
// A struct with an array in it; each thread fills the array of its own element. Element t is written by
// thread t only, and j stays inside the field.

struct Bin {
    int count;
    int items[4];
};

__global__ void array_field(Bin *bins)
{
    for (int j = 0; j < 4; j++)
        bins[threadIdx.x].items[j] = threadIdx.x;
    bins[threadIdx.x].count = 4;
}
