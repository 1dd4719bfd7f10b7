//pass
//--blockDim=64 --gridDim=1
struct V{int x;};__device__ int cnt;__device__ V operator+(V a,V b){cnt=threadIdx.x;return a;}__global__ void k(V*a){int t=threadIdx.x;a[t]=a[t]+a[t];}
