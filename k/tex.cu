//pass
//--blockDim=64 --gridDim=1
texture<int,1> tx;__global__ void k(int*a){int t=threadIdx.x;int i=tex1Dfetch(tx,t);a[i]=t;}
