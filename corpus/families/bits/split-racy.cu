// The ten bits of the number of a thread are rotated by a symbolic amount. Deliberately without a header: the
// launch is symbolic. With k = 1, thread 1 writes a[256] = 1 (low = 1) and thread 512 writes a[256] = 512 (low =
// 0).

__global__ void rotate_bits(unsigned *a, unsigned k)
{
    __requires(k <= 9);
    unsigned t = threadIdx.x;
    unsigned low = t & ((1u << k) - 1);
    a[(low << (9 - k)) | (t >> k)] = t;
}
