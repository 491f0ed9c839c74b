// Relaxation, c = min(c, a + b), on words: one distance of 32 or 64 bits, or two of 16 bits packed.
//
// Word is the type constant of the module: float, double, int, or unsigned for two signed 16-bit distances. A left
// operand holds the same distance in both halves of a packed word; the right operand and the result hold two columns.
#pragma once

constexpr int LANES = sizeof(Word) == 4 && Word(-1) > Word(0) ? 2 : 1;  // distances per word
constexpr int NONE = 0x7fffffff;                                          // no vertex on a negative cycle

__device__ __forceinline__ unsigned relax(unsigned c, unsigned a, unsigned b) { return __viaddmin_s16x2(a, b, c); }
__device__ __forceinline__ int relax(int c, int a, int b) { return __viaddmin_s32(a, b, c); }
__device__ __forceinline__ float relax(float c, float a, float b) { return fminf(c, a + b); }
__device__ __forceinline__ double relax(double c, double a, double b) { return a + b < c ? a + b : c; }

// Two relaxations of one word.
template <class W>
__device__ __forceinline__ W relax2(W c, W a0, W b0, W a1, W b1) { return relax(relax(c, a0, b0), a1, b1); }
// Floats that are not negative are ordered as their bits are, so one three-way integer minimum serves two sums.
__device__ __forceinline__ float relax2(float c, float a0, float b0, float a1, float b1) {
    if (!NONNEGATIVE) return relax(relax(c, a0, b0), a1, b1);
    return __int_as_float(__vimin3_s32(__float_as_int(c), __float_as_int(a0 + b0), __float_as_int(a1 + b1)));
}

// Distance `lane` of a word, in every half of the word returned.
template <class W>
__device__ __forceinline__ W spread(W word, int) { return word; }
__device__ __forceinline__ unsigned spread(unsigned word, int lane) { return __byte_perm(word, 0, lane ? 0x3232 : 0x1010); }

template <class W>
__device__ __forceinline__ bool is_negative(W word) { return word < 0; }
__device__ __forceinline__ bool is_negative(unsigned word) { return word >> 15 & 1; }
