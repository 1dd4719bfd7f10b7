//pass
//--blockDim=64 --gridDim=1
struct P{int x,y;};__global__ void k(P*a,P v,int*out){int t=threadIdx.x;a[t]=v;auto [x,y]=a[t+1];out[t]=x;}
