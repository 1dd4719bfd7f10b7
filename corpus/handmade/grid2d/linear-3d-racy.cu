//xfail:DATA_RACE
//--blockDim=[4,4,4] --gridDim=1
// The third dimension is forgotten in the index. Threads (0,0,0) and (0,0,1) both write a[0], with 0 and 1.

__global__ void linear_3d(int *a)
{
    int id = threadIdx.x + blockDim.x * threadIdx.y;
    a[id] = id + threadIdx.z;
}
