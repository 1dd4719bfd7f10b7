//pass
//--blockDim=64 --gridDim=1
template<class T>__device__ typename enable_if<sizeof(T)==8>::type put(T*p){}template<class T>__device__ typename enable_if<sizeof(T)==4>::type put(T*p){p[0]=threadIdx.x;}__global__ void k(int*a){put(a);}
