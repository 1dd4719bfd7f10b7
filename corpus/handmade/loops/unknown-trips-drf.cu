//pass
//--blockDim=64 --gridDim=1
// A while loop whose number of iterations nobody can predict. The loop has no barrier and only touches
// steps[threadIdx.x].

__global__ void collatz(int *steps)
{
    int x = threadIdx.x + 1;
    steps[threadIdx.x] = 0;
    while (x != 1) {
        x = x % 2 == 0 ? x / 2 : 3 * x + 1;
        steps[threadIdx.x]++;
    }
}
