//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){int4*v=(int4*)a;v[threadIdx.x]=make_int4(0,0,0,0);a[threadIdx.x]=1;}
