// Copies to shared memory that run beside the arithmetic (cp.async), and mma: what kernels reach through inline PTX.
//
// A copy is made at once in forward order, as late as its thread's waits allow in reverse order, and either in random
// order: a kernel that reads without waiting, or fills a stage that is still read, gets the wrong values.
#pragma once
#include "launch.hpp"
#include "vectors.hpp"

namespace repro {

REPRO_INLINE void make_copy(const LateCopy& copy) {
    *static_cast<uint4*>(copy.to) = *static_cast<const uint4*>(copy.from);
}

REPRO_INLINE void begin_copy(void* shared, const void* global) {
    LateCopy copy = {shared, global, self->closed_groups};
    bool late = block.launch->order == 1 || (block.launch->order == 2 && next_random() % 2);
    if (late) {
        on_pause();  // the queue is the emulator's own
        self->copies.push_back(copy);
        on_resume();
    } else {
        make_copy(copy);
    }
}

inline void close_group() { ++self->closed_groups; }

// Takes the oldest copy of the calling thread, if it is in none of the last `kept` groups.
inline bool take_copy(unsigned kept, LateCopy& copy) {
    on_pause();
    std::vector<LateCopy>& copies = self->copies;
    bool found = !copies.empty() && copies[0].group + kept < self->closed_groups;
    if (found) {
        copy = copies[0];
        copies.erase(copies.begin());
    }
    on_resume();
    return found;
}

REPRO_INLINE void await_groups(unsigned kept) {
    LateCopy copy;
    while (take_copy(kept, copy)) make_copy(copy);
}

inline void mma_and_popc(int (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2], int line) {
    Fragments mine = {&d, &a, &b};
    meet(Meeting::mma, 0xFFFFFFFFu, line, reinterpret_cast<uint64_t>(&mine), 0);
}

}  // namespace repro
