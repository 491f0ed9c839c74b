// Every half-precision intrinsic of the emulator on pairs of halves; row r of `output` is the r-th result.
#include <cuda_fp16.h>

__device__ unsigned word(__half2 pair) {
    return __half_as_ushort(__low2half(pair)) | unsigned(__half_as_ushort(__high2half(pair))) << 16;
}
__device__ __half2 pair(unsigned word) {
    return __halves2half2(__ushort_as_half(word & 0xFFFF), __ushort_as_half(word >> 16));
}

extern "C" __global__ void pairs(const unsigned* as, const unsigned* bs, unsigned* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __half2 a = pair(as[i]), b = pair(bs[i]);
    __half2 results[] = {__hadd2(a, b), __hsub2(a, b), __hmul2(a, b), __hmax2(a, b), __hmin2(a, b)};
    for (int row = 0; row < 5; ++row) output[row * n + i] = word(results[row]);
    output[5 * n + i] = __hgt2_mask(a, b);
}

extern "C" __global__ void conversions(const float* given, unsigned short* halves, float* widened, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i + 1 >= n) return;
    __half2 both = __floats2half2_rn(given[2 * i], given[2 * i + 1]);
    halves[2 * i] = __half_as_ushort(__float2half(given[2 * i]));
    halves[2 * i + 1] = __half_as_ushort(__high2half(both));
    widened[2 * i] = __low2float(both);
    widened[2 * i + 1] = __half2float(__high2half(__float2half2_rn(given[2 * i + 1])));
}
