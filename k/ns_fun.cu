//pass
//--blockDim=64 --gridDim=1
namespace fast{__device__ void put(int*p){}}namespace slow{__device__ void put(int*p){p[0]=threadIdx.x;}}__global__ void k(int*a){slow::put(a);}
