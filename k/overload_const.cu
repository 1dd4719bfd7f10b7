//pass
//--blockDim=64 --gridDim=1
__device__ int get(const int*p){return 0;}__device__ int get(int*p){p[0]=threadIdx.x;return 1;}__global__ void k(int*a){get(a);}
