//pass
//--blockDim=64 --gridDim=1
template<class T>__device__ void put(T*p){}template<>__device__ void put<int>(int*p){p[0]=threadIdx.x;}__global__ void k(int*a){put<int>(a);}
