//pass
//--blockDim=64 --gridDim=1
extern __shared__ int s[];__global__ void k(){int*p=s;float*q=(float*)(s+1);p[threadIdx.x+1]=1;q[threadIdx.x]=2.f;s[threadIdx.x/2]=threadIdx.x;}
