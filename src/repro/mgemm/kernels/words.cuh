// The words that vectors are made of, and how they lie in memory. Word float or double: one field. Word unsigned: four
// bytes, or 32 bits where BITS is true.
//
// A block of vectors is word by word, GROUP consecutive words of a vector together: [words / GROUP][pitch][GROUP].
#pragma once

__device__ __forceinline__ long long place(int word, int vector, long long pitch) {
    return (word / GROUP * pitch + vector) * GROUP + word % GROUP;
}

// The elementwise minimum of two words.
__device__ __forceinline__ float minimum(float a, float b) { return fminf(a, b); }
__device__ __forceinline__ double minimum(double a, double b) { return fmin(a, b); }
__device__ __forceinline__ unsigned minimum(unsigned a, unsigned b) { return BITS ? a & b : __vminu4(a, b); }

// The sum of a word's fields.
__device__ __forceinline__ float sum_of(float a) { return a; }
__device__ __forceinline__ double sum_of(double a) { return a; }
__device__ __forceinline__ unsigned sum_of(unsigned a) { return BITS ? __popc(a) : __dp4a(a, 0x01010101u, 0u); }
