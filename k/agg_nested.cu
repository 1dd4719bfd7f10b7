//pass
//--blockDim=64 --gridDim=1
struct Q{int u,v;};struct S{Q q;int j;};__global__ void k(int*a){int t=threadIdx.x;S s={0,0,1};a[t]=a[t+s.j];}
