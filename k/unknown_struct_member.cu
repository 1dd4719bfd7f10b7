//pass
//--blockDim=64 --gridDim=1
__global__ void k(Foo*a,Foo v,int*out){int t=threadIdx.x;a[t]=v;out[t]=a[t+1].x;}
