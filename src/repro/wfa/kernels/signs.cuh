// Signs of bytes, and a byte of four.
#pragma once

// A byte of ones where the chosen byte of y and x, x's lowest being number 0, has its highest bit set; else of zeros.
template <int FIRST, int SECOND, int THIRD = 0, int FOURTH = 0>
__device__ __forceinline__ unsigned signs(unsigned x, unsigned y) {
    constexpr unsigned CHOICE = FIRST | SECOND << 4 | THIRD << 8 | FOURTH << 12;
#ifdef REPRO_WARP_SIZE
    return (__byte_perm(x, y, CHOICE) >> 7 & 0x01010101) * 0xFF;
#else
    // One instruction, which __byte_perm is too, but without the choice of signs.
    unsigned result;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "n"(CHOICE | 0x8888));
    return result;
#endif
}

// 1 where byte `index` of four such bytes is of ones, else 0; by the multiplier, which has more time than the logic.
__device__ __forceinline__ unsigned chosen(unsigned bytes, int index) {
    return unsigned(__dp4a(int(bytes), int(0xFFu << 8 * index), 0));
}
