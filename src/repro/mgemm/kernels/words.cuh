// The words that vectors are made of, and how they lie in memory. Word float or double: one field. Word unsigned: four
// bytes, or 32 bits where BITS is true.
//
// A block of vectors is word by word, GROUP consecutive words of a vector together: [words / GROUP][pitch][GROUP]. Groups
// of 16 words are for the tensor cores: their four quarters are permuted, every two of eight vectors in another way,
// which is the 64-byte swizzle of operands in shared memory (wgmma.cuh).
#pragma once

__device__ __forceinline__ long long place(int word, int vector, long long pitch) {
    int permuted = GROUP == 16 ? vector / 2 % 4 * 4 : 0;
    return (word / GROUP * pitch + vector) * GROUP + (word % GROUP ^ permuted);
}

// The elementwise minimum of two words.
__device__ __forceinline__ float minimum(float a, float b) { return fminf(a, b); }
__device__ __forceinline__ double minimum(double a, double b) { return fmin(a, b); }
__device__ __forceinline__ unsigned minimum(unsigned a, unsigned b) { return BITS ? a & b : __vminu4(a, b); }

// The sum of a word's fields.
__device__ __forceinline__ float sum_of(float a) { return a; }
__device__ __forceinline__ double sum_of(double a) { return a; }
__device__ __forceinline__ unsigned sum_of(unsigned a) { return BITS ? __popc(a) : __dp4a(a, 0x01010101u, 0u); }
