//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){auto f=[&](int i){a[i]=threadIdx.x;};f(0);}
