//pass
//--blockDim=64 --gridDim=1
struct Q{int u,v;};__global__ void k(int*a){int t=threadIdx.x;Q s[2]={0,0,0,1};a[t]=a[t+s[1].v];}
