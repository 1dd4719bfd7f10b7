//pass
//--blockDim=64 --gridDim=1
struct G{int*p;__device__ G(int*q){p=q;}__device__ ~G(){p[0]=threadIdx.x;}};__global__ void k(int*a){G g(a);}
