//pass
//--blockDim=64 --gridDim=1
struct Base;struct S:Base{int y;};__global__ void k(S*a,S v,int*out){int t=threadIdx.x;a[t]=v;out[t]=a[t+1].x;}
