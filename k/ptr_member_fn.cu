//pass
//--blockDim=64 --gridDim=1
struct S{int*p;__device__ void f(){p[0]=threadIdx.x;}};__global__ void k(int*a){S s;s.p=a;void(S::*m)()=&S::f;(s.*m)();}
