//pass
//--blockDim=64 --gridDim=1
__device__ void f(int&r){r=0;}__global__ void k(int*a){int i=threadIdx.x;f(i);a[i]=threadIdx.x;}
