// What kernels of alignments share: sequences, and two 16-bit numbers in a word.
#pragma once
#include "modes.cuh"

struct Sequence {
    const uint8_t* codes;
    int length, pads;  // letters, and what fills up in front of them
};

__device__ __forceinline__ Sequence sequence(const uint8_t* codes, const long long* offsets, int index) {
    return {codes + offsets[index], int(offsets[index + 1] - offsets[index]), 0};
}
// One of two, field by field: a choice between their addresses would keep both in memory.
__device__ __forceinline__ Sequence one_of(const Sequence* two, bool second) {
    return {second ? two[1].codes : two[0].codes, second ? two[1].length : two[0].length, second ? two[1].pads : two[0].pads};
}
__device__ __forceinline__ int code_at(const Sequence& of, int position) {
    position -= of.pads;
    return unsigned(position) < unsigned(of.length) ? __ldg(of.codes + position) : PAD;
}

__host__ __device__ constexpr unsigned packed(int low, int high) { return unsigned(high) << 16 | (unsigned(low) & 0xFFFF); }
__host__ __device__ constexpr unsigned both(int value) { return packed(value, value); }
