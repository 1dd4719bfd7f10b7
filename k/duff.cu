//pass
//--blockDim=64 --gridDim=1
__global__ void k(int*a,int n){int i=0;switch(n){case 0:do{a[i]=threadIdx.x;case 1:a[i+1]=2;}while(++i<2);}}
