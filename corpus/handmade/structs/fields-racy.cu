//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The same field is written and read. Thread 0 reads p[1].x and thread 1 writes p[1].x.

struct Point {
    int x;
    int y;
};

__global__ void fields(Point *p)
{
    p[threadIdx.x].x = p[threadIdx.x + 1].x;
}
