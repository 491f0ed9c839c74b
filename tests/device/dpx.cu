// Every DPX intrinsic of the emulator on the same operands; row r of `output` is the r-th result.
#define STORE(value) output[row++ * n + i] = unsigned(value)
#define SIGNED_AND_UNSIGNED(name)                                                                       \
    STORE(name##_s32(a, b, c)), STORE(name##_u32(a, b, c)), STORE(name##_s16x2(a, b, c)), STORE(name##_u16x2(a, b, c))
#define CHOSEN(name)                                                                                    \
    STORE(name##_s32(a, b, &high)), STORE(high), STORE(name##_u32(a, b, &high)), STORE(high);           \
    STORE(name##_s16x2(a, b, &high, &low)), STORE(high), STORE(low);                                    \
    STORE(name##_u16x2(a, b, &high, &low)), STORE(high), STORE(low)

extern "C" __global__ void dpx(const unsigned* as, const unsigned* bs, const unsigned* cs, unsigned* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
    if (i >= n) return;
    unsigned a = as[i], b = bs[i], c = cs[i];
    bool high, low;
    SIGNED_AND_UNSIGNED(__vimax3);
    SIGNED_AND_UNSIGNED(__vimin3);
    SIGNED_AND_UNSIGNED(__viaddmax);
    SIGNED_AND_UNSIGNED(__viaddmin);
    STORE(__vimax_s32_relu(a, b)), STORE(__vimax_s16x2_relu(a, b));
    STORE(__vimin_s32_relu(a, b)), STORE(__vimin_s16x2_relu(a, b));
    STORE(__vimax3_s32_relu(a, b, c)), STORE(__vimax3_s16x2_relu(a, b, c));
    STORE(__vimin3_s32_relu(a, b, c)), STORE(__vimin3_s16x2_relu(a, b, c));
    STORE(__viaddmax_s32_relu(a, b, c)), STORE(__viaddmax_s16x2_relu(a, b, c));
    STORE(__viaddmin_s32_relu(a, b, c)), STORE(__viaddmin_s16x2_relu(a, b, c));
    CHOSEN(__vibmax);
    CHOSEN(__vibmin);
}
