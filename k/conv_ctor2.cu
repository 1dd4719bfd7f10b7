//pass
//--blockDim=64 --gridDim=1
__device__ int cnt;struct B{int x;__device__ B(int y){x=y;cnt=threadIdx.x;}};__global__ void k(int*o){B b=3;o[threadIdx.x]=b.x;}
