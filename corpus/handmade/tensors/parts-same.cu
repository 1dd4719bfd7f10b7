//xfail:DATA_RACE
// All threads of a block store one sum; a parameter is divided by, and is not zero where that is done.
__global__ void total(const float *in, float *out, int rows, int n, int parts) {
  if (blockIdx.x >= rows) return;
  float sum = 0;
  for (int i = 0; i < n / parts; i++) sum += in[blockIdx.x * n + i];
  out[blockIdx.x] = sum;
}
void run(float *in, float *out, int rows, int n, int parts) { total<<<rows, 32>>>(in, out, rows, n, parts); }
