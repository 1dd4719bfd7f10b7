//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The even thread writes the whole vector. Thread 0 writes v[0] in full, so v[0].y = 0, and thread 1 writes
// v[0].y = 1.

__global__ void lanes(int2 *v)
{
    int t = threadIdx.x;
    if (t % 2 == 0)
        v[t / 2] = make_int2(t, 0);
    else
        v[t / 2].y = t;
}
