// The ten bits of the number of a thread are rotated by a symbolic amount. Deliberately without a header: the
// launch is symbolic. The lower k bits move up by 10 - k, above the others, so the cell determines both parts.

__global__ void rotate_bits(unsigned *a, unsigned k)
{
    __requires(k <= 9);
    unsigned t = threadIdx.x;
    unsigned low = t & ((1u << k) - 1);
    a[(low << (10 - k)) | (t >> k)] = t;
}
