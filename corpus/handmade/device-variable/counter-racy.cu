//xfail:DATA_RACE
//--blockDim=64 --gridDim=2
// One thread of each block writes the __device__ variable. Thread 0 of block 0 and thread 0 of block 1 write
// total, with v and v + 1.

__device__ int total;

__global__ void publish(int v)
{
    if (threadIdx.x == 0)
        total = v + blockIdx.x;
}
