//pass
//--blockDim=64 --gridDim=2
// A struct parameter passed by value, with a pointer and a size in it. v.size is the same for all threads and
// v.data[i] is accessed by the thread with global index i only.

struct View {
    int *data;
    int size;
};

__global__ void view(View v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < v.size)
        v.data[i] += 1;
}
