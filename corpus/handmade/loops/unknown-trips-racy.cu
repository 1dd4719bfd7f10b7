//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// The unpredictable loop writes where its variable points. Thread 0 sets steps[0] before the loop; thread 1
// (x = 2) halves x to 1 and increments steps[0].

__global__ void collatz(int *steps)
{
    int x = threadIdx.x + 1;
    steps[threadIdx.x] = 0;
    while (x != 1) {
        x = x % 2 == 0 ? x / 2 : 3 * x + 1;
        steps[x - 1]++;
    }
}
