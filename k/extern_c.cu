//pass
//--blockDim=64 --gridDim=1
extern "C" __global__ void k(int*a){a[0]=threadIdx.x;}
