//pass
//--blockDim=64 --gridDim=1
// An array of structs: each thread writes one field of its element and reads another field of the next. x and
// y are different bytes of an element, so p[t].x and p[t + 1].y never overlap with p[t + 1].x.

struct Point {
    int x;
    int y;
};

__global__ void fields(Point *p)
{
    p[threadIdx.x].x = p[threadIdx.x + 1].y;
}
