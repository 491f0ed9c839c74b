// Half precision, alone and in pairs, with every result rounded to nearest even as the hardware rounds it. Sums and
// products are exact to the last bit: a float has more than twice a half's digits, so rounding twice changes nothing.
#pragma once
#include <cstdint>
#include <cstring>

struct __half { uint16_t bits; };
struct __attribute__((aligned(4))) __half2 { __half x, y; };
using half = __half;
using half2 = __half2;

namespace repro {

inline uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
inline float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

constexpr uint16_t HALF_NAN = 0x7FFF;
constexpr uint32_t FLOAT_INFINITY = 0x7F800000, HALF_OVERFLOWS = 0x47800000, HALF_NORMAL = 0x38800000;

inline bool is_nan(__half value) { return (value.bits & 0x7FFF) > 0x7C00; }

// Adding 0.5 leaves the 10 digits of a denormal half in a float's last places, rounded.
inline __half rounded(float value) {
    uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000;
    bits &= 0x7FFFFFFF;
    if (bits > FLOAT_INFINITY) return {HALF_NAN};
    if (bits >= HALF_OVERFLOWS) return {uint16_t(sign | 0x7C00)};
    if (bits < HALF_NORMAL) return {uint16_t(sign | (bits_of(float_of(bits) + 0.5f) - bits_of(0.5f)))};
    return {uint16_t(sign | (bits - (112u << 23) + 0xFFF + (bits >> 13 & 1)) >> 13)};
}
inline float widened(__half value) {
    uint32_t sign = uint32_t(value.bits & 0x8000) << 16, rest = uint32_t(value.bits & 0x7FFF) << 13;
    if (rest >= 0x7C00u << 13) return float_of(sign | FLOAT_INFINITY | rest);
    if (rest < 0x400u << 13) return float_of(sign | bits_of(float_of((113u << 23) + rest) - float_of(113u << 23)));
    return float_of(sign | (rest + (112u << 23)));
}

}  // namespace repro

inline __half __float2half(float value) { return repro::rounded(value); }
inline __half __float2half_rn(float value) { return repro::rounded(value); }
inline float __half2float(__half value) { return repro::widened(value); }
inline __half __ushort_as_half(unsigned short bits) { return {bits}; }
inline unsigned short __half_as_ushort(__half value) { return value.bits; }

inline __half2 __halves2half2(__half low, __half high) { return {low, high}; }
inline __half2 __half2half2(__half both) { return {both, both}; }
inline __half2 __floats2half2_rn(float low, float high) { return {__float2half(low), __float2half(high)}; }
inline __half2 __float2half2_rn(float both) { return __half2half2(__float2half(both)); }
inline __half __low2half(__half2 pair) { return pair.x; }
inline __half __high2half(__half2 pair) { return pair.y; }
inline float __low2float(__half2 pair) { return __half2float(pair.x); }
inline float __high2float(__half2 pair) { return __half2float(pair.y); }

inline __half __hadd(__half a, __half b) { return __float2half(__half2float(a) + __half2float(b)); }
inline __half __hsub(__half a, __half b) { return __float2half(__half2float(a) - __half2float(b)); }
inline __half __hmul(__half a, __half b) { return __float2half(__half2float(a) * __half2float(b)); }
// Of a number and no number it is the number; 0 is larger than -0.
inline __half __hmax(__half a, __half b) {
    if (repro::is_nan(a) || repro::is_nan(b)) return repro::is_nan(a) ? repro::is_nan(b) ? __half{repro::HALF_NAN} : b : a;
    float x = __half2float(a), y = __half2float(b);
    return x < y || (x == y && a.bits & 0x8000) ? b : a;
}
inline __half __hmin(__half a, __half b) {
    if (repro::is_nan(a) || repro::is_nan(b)) return __hmax(a, b);
    float x = __half2float(a), y = __half2float(b);
    return y < x || (x == y && b.bits & 0x8000) ? b : a;
}
// Of both halves: all bits set where it holds, which it never does of no number.
inline unsigned __hgt2_mask(__half2 a, __half2 b) {
    return (__low2float(a) > __low2float(b) ? 0xFFFFu : 0) | (__high2float(a) > __high2float(b) ? 0xFFFF0000u : 0);
}
#define REPRO_PAIRED(name) \
    inline __half2 name##2(__half2 a, __half2 b) { return {name(a.x, b.x), name(a.y, b.y)}; }
REPRO_PAIRED(__hadd)
REPRO_PAIRED(__hsub)
REPRO_PAIRED(__hmul)
REPRO_PAIRED(__hmax)
REPRO_PAIRED(__hmin)
#undef REPRO_PAIRED
