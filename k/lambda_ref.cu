//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){int t=threadIdx.x;int o=0;auto f=[&](){o=1;};f();a[t]=a[t+o];}
