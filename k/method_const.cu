//pass
//--blockDim=64 --gridDim=1
struct A{__device__ void put(int*p)const{}__device__ void put(int*p){p[0]=threadIdx.x;}};__global__ void k(int*a){A b;b.put(a);}
