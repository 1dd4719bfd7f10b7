//pass
//--blockDim=64 --gridDim=1
__device__ int cnt;struct A{__device__ A(){cnt=threadIdx.x;}};struct B:A{int x;__device__ B(){x=1;}};__global__ void k(int*o){B b;o[threadIdx.x]=b.x;}
