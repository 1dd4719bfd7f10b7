//pass
// One thread an element of a tensor (n, c, h, w); the position is taken apart from a copy of the index. No launch: any sizes.
__global__ void scale(const float *in, float *out, int n, int c, int h, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * c * h * w) return;
  int rest = i;
  int x = rest % w;
  rest /= w;
  int y = rest % h;
  rest /= h;
  int z = rest % c;
  float sum = 0;
  for (int k = 0; k < x + y; k++) sum += in[z * k];
  out[i] = sum;
}
