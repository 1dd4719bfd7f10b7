//pass
//--blockDim=64 --gridDim=2
// A float array read and written as float4, four floats per thread. Thread with global index i touches floats
// 4i .. 4i + 3.

__global__ void float4_view(float *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = ((float4 *)a)[i];
    v.x += 1.0f;
    ((float4 *)a)[i] = v;
}
