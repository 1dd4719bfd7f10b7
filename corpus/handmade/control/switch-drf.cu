//pass
//--blockDim=64 --gridDim=1
// A switch on the thread, each case with a break. Case c writes a[4 * (t / 4) + c] with c = t % 4, which is
// the own cell.

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
        break;
    case 2:
        a[base + 2] = 12;
        break;
    default:
        a[base + 3] = 13;
    }
}
