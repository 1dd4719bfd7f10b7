//pass
//--blockDim=64 --gridDim=1
__device__ int cnt;struct V{int x;__device__ V&operator=(const V&o){x=o.x;cnt=threadIdx.x;return *this;}};__global__ void k(V*a,V v){int t=threadIdx.x;a[t]=v;}
