//pass
//--blockDim=64 --gridDim=1
template<int N>__global__ void k(int*a){int t=threadIdx.x;if(N==2)a[0]=t;else a[t]=t;}void h(int*a){auto f=k<2>;k<1><<<1,64>>>(a);f<<<1,64>>>(a);}
