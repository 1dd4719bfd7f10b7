//pass
//--blockDim=64 --gridDim=1
struct A{__device__ virtual void put(int*p){}};struct B:A{__device__ void put(int*p)override{p[0]=threadIdx.x;}};__device__ void f(A&x,int*p){x.put(p);}__global__ void k(int*a){B b;f(b,a);}
