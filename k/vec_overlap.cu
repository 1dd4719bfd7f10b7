//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){*(int2*)(a+threadIdx.x)=make_int2(1,threadIdx.x);}
