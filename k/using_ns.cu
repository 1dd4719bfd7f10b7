//pass
//--blockDim=64 --gridDim=1
namespace n{__device__ void put(int*p){p[0]=threadIdx.x;}}using namespace n;__global__ void k(int*a){put(a);}
