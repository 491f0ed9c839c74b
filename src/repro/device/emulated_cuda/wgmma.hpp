// Matrix products of a warpgroup, four warps, on operands in shared memory (wgmma): what kernels reach through inline PTX.
//
// Each lane computes its own results, from where the descriptors say: at once in forward order, as late as its waits
// allow in reverse order, either in random order. A kernel that reads results without waiting, or fills a stage that is
// still read, gets the wrong values.
#pragma once
#include "bulk_copies.hpp"

namespace repro {

// What a descriptor says, in bytes; addresses count from the start of dynamic shared memory, which is aligned to 1,024.
struct Operand {
    uint64_t start, leading, stride;
    unsigned swizzled;  // bytes of a row that are permuted; 0: 8 rows of 16 bytes lie together

    explicit Operand(uint64_t descriptor)
        : start((descriptor & 0x3FFF) << 4), leading((descriptor >> 16 & 0x3FFF) << 4), stride((descriptor >> 32 & 0x3FFF) << 4),
          swizzled(descriptor >> 62 ? 256u >> (descriptor >> 62) : 0) {}

    // Where 16 bytes of a row of 32 lie. Swizzled, the last bits of their number are those of the row's, exchanged.
    uint64_t place(unsigned row, unsigned half) const {
        if (!swizzled) return start + row / 8 * stride + row % 8 * 16 + half * leading;
        uint64_t plain = start + row / 8 * stride + row % 8 * swizzled + half * 16;
        return plain ^ (plain >> 7 & (swizzled / 16 - 1)) << 4;
    }
};

REPRO_INLINE uint4 read_operand(const Operand& operand, unsigned row, unsigned half) {
    return *reinterpret_cast<const uint4*>(block.dynamic_shared + operand.place(row, half));
}

inline int and_popc(const uint4& a, const uint4& b) {
    return __builtin_popcountll(uint64_t(a.x & b.x) << 32 | (a.y & b.y)) + __builtin_popcountll(uint64_t(a.z & b.z) << 32 | (a.w & b.w));
}

// A lane has, of 64 rows, row 16 w + l / 4 of its warp w and lane l, and the eighth after it; of every 8 columns 2 (l % 4)
// and the next. PTX ISA, "Matrix fragments for wgmma.mma_async.m64nNk256".
REPRO_INLINE void make_product(const LateProduct& product) {
    Operand left(product.a), right(product.b);
    unsigned row = self->warp % 4 * 16 + self->lane / 4;
    const uint4 a[4] = {read_operand(left, row, 0), read_operand(left, row, 1), read_operand(left, row + 8, 0), read_operand(left, row + 8, 1)};
    for (unsigned i = 0; i < product.results; i += 4)
        for (unsigned odd = 0; odd < 2; ++odd) {
            unsigned column = i / 4 * 8 + self->lane % 4 * 2 + odd;
            uint4 first = read_operand(right, column, 0), second = read_operand(right, column, 1);
            product.d[i + odd] += and_popc(a[0], first) + and_popc(a[1], second);
            product.d[i + 2 + odd] += and_popc(a[2], first) + and_popc(a[3], second);
        }
}

// d: the lane's part of 64 rows by 2 `results` columns. a, b: descriptors, the same in all lanes.
REPRO_INLINE void wgmma_and_popc(int* d, unsigned results, uint64_t a, uint64_t b, int line) {
    if (block.threads % 128) {
        report("wgmma, line %d, needs warpgroups of 128 threads, not a block of %u", line, block.threads);
        abandon();
    }
    meet(Meeting::wgmma, 0xFFFFFFFFu, line, a, b);
    LateProduct product = {d, results, a, b, self->closed_products};
    if (!comes_late()) return make_product(product);
    on_pause();
    self->products.push_back(product);
    on_resume();
}

inline void close_products() { ++self->closed_products; }

REPRO_INLINE void await_products(unsigned kept) {
    LateProduct product;
    while (take_oldest(self->products, kept, self->closed_products, product)) make_product(product);
}

}  // namespace repro
