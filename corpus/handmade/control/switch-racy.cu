//xfail:DATA_RACE
//--blockDim=64 --gridDim=1
// One break is missing, so a case falls through into the next. Thread 1 falls through and writes a[2] = 13,
// and thread 2 writes a[2] = 14.

__global__ void switch_cases(int *a)
{
    int t = threadIdx.x;
    int base = t / 4 * 4;
    switch (t % 4) {
    case 0:
        a[base] = 10;
        break;
    case 1:
        a[base + 1] = 11;
    case 2:
        a[base + 2] = 12 + t;
        break;
    default:
        a[base + 3] = 13;
    }
}
