//pass
//--blockDim=64 --gridDim=1
enum class E:int{A=0,B=1};__global__ void k(int*a){int t=threadIdx.x;a[t]=a[t+(int)E::B];}
