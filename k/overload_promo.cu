//pass
//--blockDim=64 --gridDim=1
__device__ void put(int*p,unsigned char c){}__device__ void put(int*p,int c){p[0]=threadIdx.x;}__global__ void k(int*a){short s=1;put(a,s);}
