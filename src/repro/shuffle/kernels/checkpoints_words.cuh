// Arithmetic of checkpoints.cu, the same in writing for one alignment in a word and for two in its halves.
#pragma once
#include "checkpoints.cuh"

// No half of a folded value is negative, nor is one with a gain added: a sum of words is that of their halves, if a
// negative gain of the low one has its borrow in it.
constexpr bool WHOLE_SUMS = MODE != LOCAL && SHARED_QUERY;

template <class W>
__device__ __forceinline__ W joined(long long low, long long, W) { return W(low); }
__device__ __forceinline__ unsigned joined(long long low, long long high, unsigned) {
    return unsigned(high) << 16 | (unsigned(low) & 0xFFFF);
}
__device__ __forceinline__ WORD make_word(long long low, long long high) { return joined(low, high, WORD()); }
__device__ __forceinline__ WORD make_gain(Whole low, Whole high) {
    return WHOLE_SUMS && HALVES == 2 ? WORD(low) + (WORD(high) << 16) : make_word(low, high);
}
__device__ __forceinline__ WORD both(long long value) { return make_word(value, value); }
// A sum on the multiplier's pipe, since the maxima fill theirs: gridDim.y is 1.
template <class W>
__device__ __forceinline__ W plus(W a, W b) { return sizeof(W) == 4 ? W(a * gridDim.y + b) : a + b; }
template <class W>
__device__ __forceinline__ W largest(W a, W b, W c) { return max(max(a, b), c); }
__device__ __forceinline__ int largest(int a, int b, int c) { return __vimax3_s32(a, b, c); }
__device__ __forceinline__ unsigned largest(unsigned a, unsigned b, unsigned c) { return __vimax3_s16x2(a, b, c); }
__device__ __forceinline__ WORD larger(WORD a, WORD b) { return largest(a, b, b); }
template <class W>
__device__ __forceinline__ W add_larger(W a, W b, W c) { return max(W(a + b), c); }
__device__ __forceinline__ unsigned add_larger(unsigned a, unsigned b, unsigned c) { return __viaddmax_s16x2(a, b, c); }
template <class W>
__device__ __forceinline__ W add_larger_relu(W a, W b, W c) { return max(max(W(a + b), c), W(0)); }
__device__ __forceinline__ unsigned add_larger_relu(unsigned a, unsigned b, unsigned c) {
    return __viaddmax_s16x2_relu(a, b, c);
}
