//pass
//--blockDim=64 --gridDim=1
__device__ int cnt;struct B{int x;__device__ B(int y){x=y;cnt=threadIdx.x;}};__device__ int f(B b){return b.x;}__global__ void k(int*o){o[threadIdx.x]=f(3);}
