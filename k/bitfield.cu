//pass
//--blockDim=64 --gridDim=1
struct S{int a:4;int b:4;};__global__ void k(S*s){if(threadIdx.x==0)s[0].a=1;else if(threadIdx.x==1)s[0].b=1;}
