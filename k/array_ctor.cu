//pass
//--blockDim=64 --gridDim=1
__device__ int cnt;struct A{__device__ A(){cnt=threadIdx.x;}};__global__ void k(int*o){A b[2];o[threadIdx.x]=1;}
