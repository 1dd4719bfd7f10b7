//pass
//--blockDim=[4,4,4] --gridDim=1
// The linear id of a thread in a three-dimensional block. x + 4 * (y + 4 * z) is injective for x and y below
// 4.

__global__ void linear_3d(int *a)
{
    int id = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    a[id] = id;
}
