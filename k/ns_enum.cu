//pass
//--blockDim=64 --gridDim=1
struct F{enum{off=0};};struct G{enum{off=1};};__global__ void k(int*a){int t=threadIdx.x;a[t]=a[t+G::off];}
