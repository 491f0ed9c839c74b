// What is added for two words: chosen by OPERATION. Sums are in the order of the words, whatever the tiling.
#pragma once
#include "words.cuh"

constexpr int TERNARY = 0, FMIN = 1, GEMM = 2, DIFFERENCES = 3;  // as in products.py

// The absolute difference of two numbers.
__device__ __forceinline__ float difference(float a, float b) { return fabsf(a - b); }
__device__ __forceinline__ double difference(double a, double b) { return fabs(a - b); }

template <class T>
__device__ __forceinline__ void accumulate(T& sum, T a, T b) {
    if constexpr (OPERATION == TERNARY) sum += a < b ? a : b;
    if constexpr (OPERATION == FMIN) sum += minimum(a, b);
    if constexpr (OPERATION == GEMM) sum += a * b;
    if constexpr (OPERATION == DIFFERENCES) sum += difference(a, b);
}

// Four bytes, or 32 bits, of which the product is the minimum.
__device__ __forceinline__ void accumulate(unsigned& sum, unsigned a, unsigned b) {
    if constexpr (BITS) sum += __popc(a & b);
    else if constexpr (OPERATION == GEMM) sum = __dp4a(a, b, sum);
    else if constexpr (OPERATION == DIFFERENCES) {
#ifdef REPRO_WARP_SIZE
        sum += __vsadu4(a, b);
#else
        asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));  // with its addition
#endif
    } else sum = __dp4a(minimum(a, b), 0x01010101u, sum);
}

// Twice a sum of minima from sums that are rounded, which can make it less than 0.
__device__ __forceinline__ double twice_minima(double differences, double a_total, double b_total) {
    double twice = a_total + b_total - differences;
    return twice > 0 ? twice : 0;
}

// The sum of minima from what was added: min(a, b) = (a + b - |a - b|) / 2.
__device__ __forceinline__ float numerator(float sum, double a_total, double b_total) {
    return OPERATION == DIFFERENCES ? float(twice_minima(sum, a_total, b_total) * 0.5) : sum;
}
__device__ __forceinline__ double numerator(double sum, double a_total, double b_total) {
    return OPERATION == DIFFERENCES ? twice_minima(sum, a_total, b_total) * 0.5 : sum;
}
__device__ __forceinline__ unsigned numerator(unsigned sum, long long a_total, long long b_total) {
    return OPERATION == DIFFERENCES && !BITS ? unsigned((a_total + b_total - sum) / 2) : sum;
}
