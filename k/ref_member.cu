//pass
//--blockDim=64 --gridDim=1
struct R{int&r;};__global__ void k(int*a){R x{a[0]};x.r=threadIdx.x;}
