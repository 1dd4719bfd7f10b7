//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){int i=0;do{a[i]=threadIdx.x;i++;}while(i<0);}
