// The arithmetic of the paper's kernels: one alignment in a T, or two in the halves of a half2 (section 3.2).
#pragma once
#include <cuda_fp16.h>
#include "whole.cuh"

template <int N>
struct Types {
    using Single = T;
    using Value = T;
};
template <>
struct Types<2> {
    using Single = __half;
    using Value = __half2;
};
using Single = Types<HALVES>::Single;  // of one alignment
using Value = Types<HALVES>::Value;    // of all alignments that a thread works on

// A number is a Whole before it is a Single: a long gap's price may need 64 bits.
template <class S>
__device__ __forceinline__ S converted(Whole score, S) { return S(score); }
__device__ __forceinline__ __half converted(Whole score, __half) { return __float2half(float(score)); }
__device__ __forceinline__ Single single(Whole score) { return converted(score, Single()); }

template <class S>
__device__ __forceinline__ S joined(S only, S) { return only; }
__device__ __forceinline__ __half2 joined(__half low, __half high) { return __halves2half2(low, high); }
__device__ __forceinline__ Value make_value(Whole low, Whole high) { return joined(single(low), single(high)); }
__device__ __forceinline__ Value value_of(Whole both) { return make_value(both, both); }

// Below every score, also after penalties.
__device__ __forceinline__ float lowest(float) { return -1e30f; }
__device__ __forceinline__ int lowest(int) { return -(1 << 30); }
__device__ __forceinline__ long long lowest(long long) { return -(1ll << 62); }
__device__ __forceinline__ __half lowest(__half) { return __ushort_as_half(0xFC00); }
__device__ __forceinline__ __half2 lowest(__half2) { return __half2half2(__ushort_as_half(0xFC00)); }

template <class V>
__device__ __forceinline__ V plus(V a, V b) { return a + b; }
__device__ __forceinline__ __half2 plus(__half2 a, __half2 b) { return __hadd2(a, b); }
template <class V>
__device__ __forceinline__ V larger(V a, V b) { return max(a, b); }
__device__ __forceinline__ __half2 larger(__half2 a, __half2 b) { return __hmax2(a, b); }

template <class V>
__device__ __forceinline__ Score score_in(V value, int) { return Score(value); }
__device__ __forceinline__ Score score_in(__half2 value, int half) {
    return Score(half ? __high2float(value) : __low2float(value));
}
