//pass
//--blockDim=64 --gridDim=1
struct M{int*p;int w;__device__ int&operator()(int i,int j){return p[i*w+j];}};__global__ void k(M m){m(0,0)=threadIdx.x;}
