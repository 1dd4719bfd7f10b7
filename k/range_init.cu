//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){int z[2]={0,0};for(int q=(a[0]=threadIdx.x);int x:z){}}
