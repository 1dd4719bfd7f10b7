//pass
//--blockDim=64 --gridDim=1
__global__ void k(){__shared__ int s[64];int(&r)[64]=s;r[0]=threadIdx.x;}
