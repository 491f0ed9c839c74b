// Every intrinsic on four bytes; row r of `output` is the r-th result.
extern "C" __global__ void simd(const unsigned* as, const unsigned* bs, const unsigned* cs, unsigned* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = as[i], b = bs[i], c = cs[i];
    output[i] = __vminu4(a, b);
    output[n + i] = __vabsdiffu4(a, b);
    output[2 * n + i] = __vsadu4(a, b);
    output[3 * n + i] = __dp4a(a, b, c);
    output[4 * n + i] = __dp4a(int(a), int(b), int(c));
    output[5 * n + i] = __dp2a_lo(a, b, c);
    output[6 * n + i] = __dp2a_hi(a, b, c);
}
