// Bytes that are not UTF-8: ÿþÃ( and a name in Latin-1, café.

__global__ void latin(int *a)
{
    a[threadIdx.x] = 1; // été
}
