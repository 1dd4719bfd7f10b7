//pass
//--blockDim=64 --gridDim=1
__device__ int cnt;struct B{int x;__device__ B(int y){x=y;}__device__ B(const B&o){x=o.x;cnt=threadIdx.x;}};__global__ void k(int*o){B b(1);B c=b;o[threadIdx.x]=c.x;}
