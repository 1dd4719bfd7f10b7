//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){int i=0;L:a[i]=threadIdx.x;i++;if(i<3)goto L;}
