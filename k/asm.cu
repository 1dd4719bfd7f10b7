//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){asm volatile("st.global.u32 [%0], %1;"::"l"(a),"r"(threadIdx.x));}
