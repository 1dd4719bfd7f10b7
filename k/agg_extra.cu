//pass
//--blockDim=64 --gridDim=1
struct Base{int z;};struct S:Unk{int y;};__global__ void k(int*a){int t=threadIdx.x;a[t]=t;S s={a[t+1],a[t]};}
