//pass
//--blockDim=64 --gridDim=1
#define PUT(i) do{a[i]=threadIdx.x;}while(0)
__global__ void k(int*a){PUT(0);}
