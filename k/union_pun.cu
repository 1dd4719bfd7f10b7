//pass
//--blockDim=64 --gridDim=1
union U{int i;float f;};__global__ void k(int*a){int t=threadIdx.x;U u;u.i=0;u.f=1.0f;a[t]=a[t+(u.i!=0)];}
