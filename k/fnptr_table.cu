//pass
//--blockDim=64 --gridDim=1
__device__ void f(int*p){p[0]=threadIdx.x;}__device__ void g(int*p){}typedef void(*F)(int*);__device__ F tab[2]={f,g};__global__ void k(int*a,int i){tab[i](a);}
