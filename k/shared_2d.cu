//pass
//--blockDim=64 --gridDim=1
__global__ void k(){__shared__ int s[8][8];int*p=&s[0][0];p[threadIdx.x/2]=threadIdx.x;}
