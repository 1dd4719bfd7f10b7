//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){int t=threadIdx.x;if(t>0 and not(t>5))a[0]=t;}
