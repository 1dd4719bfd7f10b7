//pass
//--blockDim=64 --gridDim=1
struct S{int x;};__global__ void k(){__shared__ S s;s.x=threadIdx.x;}
