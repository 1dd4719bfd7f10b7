//pass
//--blockDim=64 --gridDim=1
__device__ void f(int*p,int n){if(n==0){p[0]=threadIdx.x;return;}f(p,n-1);}__global__ void k(int*a){f(a,3);}
