//xfail:DATA_RACE
// The index itself is divided away, and is what is left of it when the result is stored: a batch, not an element.
__global__ void scale(const float *in, float *out, int n, int c, int h, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * c * h * w) return;
  int x = i % w;
  i /= w;
  int y = i % h;
  i /= h;
  int z = i % c;
  float sum = x;
  for (int k = 0; k < x + y; k++) sum += in[z * k];
  out[i] = sum;
}
