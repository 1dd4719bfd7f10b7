//pass
//--blockDim=64 --gridDim=1
// Two threads share one int2 element: the even one writes x, the odd one y. Threads 2k and 2k + 1 write
// different components of v[k].

__global__ void lanes(int2 *v)
{
    int t = threadIdx.x;
    if (t % 2 == 0)
        v[t / 2].x = t;
    else
        v[t / 2].y = t;
}
