// Where packed strings lie: P, T, and both backwards, one after the other; letters of BITS bits, first letter highest.
#pragma once

// One of them is of padding: a window of letters may begin in the last word.
__device__ __forceinline__ int words_of(int length) { return length / (32 / BITS) + 2; }

struct Strings {
    const unsigned* P;
    const unsigned* T;
};

__device__ __forceinline__ Strings strings_of(const unsigned* packed, int m, int n, bool backwards) {
    if (backwards) packed += (long long)words_of(m) + words_of(n);
    return {packed, packed + words_of(m)};
}
