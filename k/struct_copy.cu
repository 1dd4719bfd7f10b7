//pass
//--blockDim=64 --gridDim=1
struct S{int a,b;};__global__ void k(S*s,S*q){int t=threadIdx.x;s[t]=s[t+1];}
