//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){[&](int i){a[i]=threadIdx.x;}(0);}
