// Matrix fragments of a warp: which lane holds what, and what mma makes of them.
#pragma once
#include "state.hpp"

namespace repro {

// What a lane brings to mma.m16n8k256 on bits, and takes from it.
struct Fragments {
    int (*d)[4];
    const unsigned (*a)[4], (*b)[2];
};

// d += popcount(a AND b), 16 x 8 results over 256 bits. Row r of a lies in lanes 4 (r % 8) to + 3, as does column r of
// b: words 0 to 3 in their first register for it, words 4 to 7 in their second.
inline void multiply_fragments(Thread* threads, Mask members) {
    if (members != 0xFFFFFFFFu) {
        report("mma needs the 32 lanes of a warp, not lanes %#llx", (unsigned long long)members);
        return;
    }
    auto of = [&](int lane) -> Fragments& { return *reinterpret_cast<Fragments*>(threads[lane].value); };
    for (int row = 0; row < 16; ++row)
        for (int column = 0; column < 8; ++column) {
            int sum = 0;
            for (int word = 0; word < 8; ++word)
                sum += __builtin_popcount((*of(row % 8 * 4 + word % 4).a)[row / 8 + word / 4 * 2] &
                                          (*of(column * 4 + word % 4).b)[word / 4]);
            (*of(row % 8 * 4 + column / 2).d)[row / 8 * 2 + column % 2] += sum;
        }
}

}  // namespace repro
