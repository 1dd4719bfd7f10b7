//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){size_t p=(size_t)a;*(int*)p=threadIdx.x;}
