//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a){int t=threadIdx.x;auto f=[=](int i){a[0]=i;};for_each_index(f);}
