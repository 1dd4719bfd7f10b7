//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The vector write covers four floats, and a neighbour reads one of them as a float. Thread 0 writes floats
// 0..3 and thread 3 reads float a[3].

__global__ void float4_view(float *a, float *b)
{
    int i = threadIdx.x;
    b[i] = a[i];
    ((float4 *)a)[i] = make_float4(1.0f, 2.0f, 3.0f, 4.0f);
}
