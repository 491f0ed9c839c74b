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

// Whether what runs beside the threads happens as late as they allow.
inline bool comes_late() { return block.launch->order == 1 || (block.launch->order == 2 && next_random() % 2); }

REPRO_INLINE void begin_copy(void* shared, const void* global) {
    LateCopy copy = {shared, global, self->closed_groups};
    if (!comes_late()) return make_copy(copy);
    on_pause();  // the queue is the emulator's own
    self->copies.push_back(copy);
    on_resume();
}

inline void close_group() { ++self->closed_groups; }

// Takes the oldest of what the calling thread has begun, if it is in none of the last `kept` groups.
template <class Late>
inline bool take_oldest(std::vector<Late>& begun, unsigned kept, unsigned closed, Late& oldest) {
    on_pause();
    bool found = !begun.empty() && begun[0].group + kept < closed;
    if (found) {
        oldest = begun[0];
        begun.erase(begun.begin());
    }
    on_resume();
    return found;
}

REPRO_INLINE void await_groups(unsigned kept) {
    LateCopy copy;
    while (take_oldest(self->copies, kept, self->closed_groups, copy)) make_copy(copy);
}

inline void mma_and_popc(int (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2], int line) {
    Fragments mine = {&d, &a, &b};
    meet(Meeting::mma, 0xFFFFFFFFu, line, reinterpret_cast<uint64_t>(&mine), 0);
}

}  // namespace repro
