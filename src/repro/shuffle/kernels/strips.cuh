// What strips.cu keeps of the cells of one alignment in the halves of a word: coordinates, borders and halves.
#pragma once
#include "modes.cuh"

constexpr int P = WARP_SIZE, WIDTH = 2 * P * COLUMNS;
constexpr int OPENING = MODE == LOCAL ? FIRST : FIRST - FURTHER;  // what a gap's first letter costs in these coordinates
constexpr int DIAGONAL = MODE == LOCAL ? 0 : 2 * FURTHER;         // what folding adds along a diagonal
constexpr int FOLDED = MODE == LOCAL ? 0 : FURTHER;

__host__ __device__ constexpr unsigned both(int value) { return (unsigned(value) & 0xFFFF) * 0x10001; }
__device__ __forceinline__ int half_of(unsigned word, int half) { return word >> 16 * half & 0xFFFF; }

// H(0, j) or H(i, 0), after so many letters; less than none in front of what fills up.
__device__ __forceinline__ int border(int letters) {
    return MODE == SEMI_GLOBAL ? FURTHER * max(letters, 0) : MODE == GLOBAL && letters != 0 ? -OPENING : 0;
}
