// Tensor cores on bits: d += popcount(a AND b) of 16 rows by 8 columns over 256 bits, by a whole warp.
//
// Lane l holds of a the rows l / 4 (a[0], a[2]) and l / 4 + 8 (a[1], a[3]), words l % 4 and, in the second pair, l % 4
// + 4; of b the same words of column l / 4; of d the columns 2 (l % 4) and the next, of row l / 4 (d[0], d[1]) and
// l / 4 + 8. PTX ISA, "Matrix fragments for mma.m16n8k256".
//
// gather puts the four registers of a fragment side by side once; the compiler would do so again before every product.
#pragma once

#ifdef REPRO_WARP_SIZE
__device__ void mma_and_popc(int (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2], int line = __builtin_LINE()) {
    ::repro::mma_and_popc(d, a, b, line);
}
__device__ void gather(unsigned (&a)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3) {
    a[0] = a0, a[1] = a1, a[2] = a2, a[3] = a3;
}
#else
__device__ __forceinline__ void mma_and_popc(int (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "
        "%2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void gather(unsigned (&a)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3) {
    a[0] = a0, a[1] = a1, a[2] = a2, a[3] = a3;
    asm volatile("" : "+r"(a[0]), "+r"(a[1]), "+r"(a[2]), "+r"(a[3]));
}
#endif
