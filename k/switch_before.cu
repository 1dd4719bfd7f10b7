//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a,int n){switch(n){int q;case 1:a[0]=threadIdx.x;}}
