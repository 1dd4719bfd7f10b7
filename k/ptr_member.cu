//pass
//--blockDim=64 --gridDim=1
struct S{int x,y;};__global__ void k(S*a){int S::*p=&S::x;a[0].*p=threadIdx.x;}
