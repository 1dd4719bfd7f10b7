//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){int x=({a[0]=threadIdx.x;1;});}
