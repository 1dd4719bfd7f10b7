//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){int t=threadIdx.x;run([=](int i){a[0]=i;});}
