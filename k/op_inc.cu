//pass
//--blockDim=64 --gridDim=1
__device__ int cnt;struct V{int x;__device__ V&operator++(){cnt=threadIdx.x;return *this;}};__global__ void k(int*o,V v){int t=threadIdx.x;++v;o[t]=v.x;}
