//pass
// A block for each place of a plane, a thread for each channel; the sizes are those of a tensor, and the launch has them too.
__global__ void softmax(const float *in, float *out, int n, int c, int h, int w) {
  int place = blockIdx.x;
  int channel = threadIdx.x;
  if (place >= h * w || channel >= c) return;
  int y = place / w, x = place % w;
  int at = blockIdx.y * (c * h * w) + channel * (h * w) + y * w + x;
  __syncthreads();
  out[at] = in[at];
}
void run(torch::Tensor in) {
  auto n = in.size(0);
  auto c = in.size(1);
  auto h = in.size(2);
  auto w = in.size(3);
  auto out = torch::empty({n, c, h, w}, in.options());
  dim3 grid(h * w, n);
  const int threads = c;
  softmax<<<grid, threads>>>(in.data_ptr<float>(), out.data_ptr<float>(), n, c, h, w);
}
