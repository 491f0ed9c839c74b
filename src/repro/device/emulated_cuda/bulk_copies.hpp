// Barriers in shared memory that count arrivals and bytes (mbarrier), and copies of whole runs of memory that end there
// (cp.async.bulk): what kernels reach through inline PTX.
//
// A copy is made at once in forward order, when somebody waits for its barrier in reverse order, and either in random
// order. Barriers order memory as flags between fences do.
#pragma once
#include <algorithm>

#include "async_copies.hpp"

namespace repro {

// Dynamic shared memory is all there is of it, and aligned to 1,024.
inline unsigned shared_address(const void* shared) { return unsigned(static_cast<const char*>(shared) - block.dynamic_shared); }

// What a barrier's 8 bytes hold: arrivals that are missing, arrivals of a phase, the phase's parity, bytes that are missing.
constexpr uint64_t count_mask = (1 << 20) - 1, arrivals_shift = 20, parity_bit = uint64_t(1) << 40, bytes_shift = 41;

inline uint64_t next_phase_if_over(uint64_t state) {
    if ((state & count_mask) || state >> bytes_shift) return state;
    return (state ^ parity_bit) | (state >> arrivals_shift & count_mask);
}

inline void make_barrier(uint64_t* barrier, unsigned arrivals) {
    atomic_update(barrier, [=](uint64_t) { return uint64_t(arrivals) << arrivals_shift | arrivals; });
}

inline void arrive(uint64_t* barrier, unsigned bytes) {
    fence();
    uint64_t before = atomic_update(barrier, [=](uint64_t state) {
        return next_phase_if_over(state - bool(state & count_mask) + (uint64_t(bytes) << bytes_shift));
    });
    if (before & count_mask) return;
    report("an mbarrier gets more arrivals than the %u it was made for", unsigned(before >> arrivals_shift & count_mask));
    abandon();
}

REPRO_INLINE void make_copy(const BulkCopy& copy) {
    for (unsigned done = 0; done < copy.bytes; done += sizeof(uint4))
        *reinterpret_cast<uint4*>(copy.to + done) = *reinterpret_cast<const uint4*>(copy.from + done);
    fence();
    atomic_update(copy.barrier, [&](uint64_t state) { return next_phase_if_over(state - (uint64_t(copy.bytes) << bytes_shift)); });
}

REPRO_INLINE void begin_bulk_copy(void* shared, const void* global, unsigned bytes, uint64_t* barrier) {
    if ((uint64_t(shared) | uint64_t(global) | bytes) % sizeof(uint4)) {
        report("a bulk copy of %u bytes from %p to %p: give multiples of 16", bytes, global, shared);
        abandon();
    }
    BulkCopy copy = {static_cast<char*>(shared), static_cast<const char*>(global), bytes, barrier};
    fence();
    atomic_update(barrier, [](uint64_t state) { return state; });  // whoever makes the copy knows what this thread does
    if (!comes_late()) return make_copy(copy);
    on_pause();
    block.bulk_copies.push_back(copy);
    on_resume();
}

// Takes the oldest copy that ends at a barrier.
inline bool take_copy(const uint64_t* barrier, BulkCopy& copy) {
    on_pause();
    std::vector<BulkCopy>& copies = block.bulk_copies;
    auto found = std::find_if(copies.begin(), copies.end(), [=](const BulkCopy& each) { return each.barrier == barrier; });
    bool any = found != copies.end();
    if (any) {
        copy = *found;
        copies.erase(found);
    }
    on_resume();
    return any;
}

// Waits until the phase with this parity, of the last two, is over.
REPRO_INLINE void await_phase(uint64_t* barrier, unsigned parity, int line) {
    BulkCopy copy;
    for (;;) {
        uint64_t state = __ldcv(barrier);
        fence();
        if (bool(state & parity_bit) != bool(parity)) return;
        if (take_copy(barrier, copy)) make_copy(copy);
        else sleep(line, "mbarrier.try_wait");
    }
}

}  // namespace repro
