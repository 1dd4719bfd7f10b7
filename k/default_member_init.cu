//pass
//--blockDim=64 --gridDim=1
__device__ int cnt;struct B{int x=(cnt=threadIdx.x);};__global__ void k(int*o){B b;o[threadIdx.x]=b.x;}
