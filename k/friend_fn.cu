//pass
//--blockDim=64 --gridDim=1
struct S{int*p;friend __device__ void put(S s){s.p[0]=threadIdx.x;}};__global__ void k(int*a){S s;s.p=a;put(s);}
