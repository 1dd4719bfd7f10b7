//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){for(unsigned i=threadIdx.x;i!=7;i+=2){a[i%3]=threadIdx.x;if(i>100)break;}}
