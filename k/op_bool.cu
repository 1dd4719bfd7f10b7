//pass
//--blockDim=64 --gridDim=1
__device__ int cnt;struct V{int x;__device__ operator bool()const{cnt=threadIdx.x;return x;}};__global__ void k(int*o,V v){int t=threadIdx.x;if(v)o[t]=1;}
