// Block barriers and warp operations: who waits, who has come, and what the last one to arrive hands out.
#pragma once
#include "fragments.hpp"

namespace repro {

inline void release_barrier() {
    on_barrier();
    block.released_or = block.barrier_or;
    block.released_and = block.barrier_and;
    block.released_count = block.barrier_count;
    block.at_barrier = 0;
    block.barrier_or = block.barrier_count = 0;
    block.barrier_and = 1;
    for (unsigned w = 0; w < block.warps; ++w) {
        for (unsigned lane = 0; lane < warps[w].size; ++lane) warps[w].threads[lane].state = State::ready;
        warps[w].runnable = warps[w].present;
    }
}

inline void barrier(int line, bool predicate) {
    on_pause();
    Thread& me = *self;
    me.line = line;
    me.state = State::at_barrier;
    if (block.at_barrier++ == 0) block.barrier_line = line;
    else if (block.barrier_line != line) {
        const Thread* other = nullptr;
        for (unsigned i = 0; i < block.threads && !other; ++i)
            if (pool[i].state == State::at_barrier && pool[i].line != line) other = &pool[i];
        report_pair("threads of one block meet at different barriers", *other, me);
        abandon();
    }
    block.barrier_or |= predicate;
    block.barrier_and &= predicate;
    block.barrier_count += predicate;
    warps[me.warp].runnable &= ~(Mask(1) << me.lane);
    if (block.at_barrier == block.threads) release_barrier();
    yield_to_scheduler();
    on_resume();
}

inline uint64_t reduce(Meeting meeting, uint64_t left, uint64_t right) {
    switch (meeting) {
        case Meeting::add: return uint32_t(left + right);
        case Meeting::min_signed: return int32_t(left) < int32_t(right) ? left : right;
        case Meeting::max_signed: return int32_t(left) > int32_t(right) ? left : right;
        case Meeting::min_unsigned: return left < right ? left : right;
        case Meeting::max_unsigned: return left > right ? left : right;
        case Meeting::bit_and: return left & right;
        case Meeting::bit_or: return left | right;
        default: return left ^ right;
    }
}

// The last lane to arrive does the exchange for all of them.
inline void exchange(Warp& warp, Mask members, Meeting meeting) {
    Thread* threads = warp.threads;
    if (meeting == Meeting::shuffle) {
        for (Mask rest = members; rest; rest &= rest - 1) {
            Thread& thread = threads[__builtin_ctzll(rest)];
            bool named = thread.operand < 64 && (members >> thread.operand & 1);
            thread.result = named ? threads[thread.operand].value : 0xBADBADBADBADBADBull;
        }
    } else if (meeting == Meeting::match) {
        for (Mask rest = members; rest; rest &= rest - 1) {
            Thread& thread = threads[__builtin_ctzll(rest)];
            thread.result = 0;
            for (Mask others = members; others; others &= others - 1) {
                int lane = __builtin_ctzll(others);
                if (threads[lane].value == thread.value) thread.result |= Mask(1) << lane;
            }
        }
    } else if (meeting == Meeting::mma) {
        multiply_fragments(threads, members);
    } else if (meeting == Meeting::wgmma) {
        for (Mask rest = members; rest; rest &= rest - 1) {
            const Thread& thread = threads[__builtin_ctzll(rest)];
            if (thread.value != threads[0].value || thread.operand != threads[0].operand) report_pair("lanes give wgmma different descriptors", threads[0], thread);
        }
    } else if (meeting != Meeting::sync) {
        uint64_t result = 0;
        bool first = true;
        for (Mask rest = members; rest; rest &= rest - 1) {
            int lane = __builtin_ctzll(rest);
            if (meeting == Meeting::ballot) result |= Mask(threads[lane].value != 0) << lane;
            else result = first ? threads[lane].value : reduce(meeting, result, threads[lane].value);
            first = false;
        }
        for (Mask rest = members; rest; rest &= rest - 1) threads[__builtin_ctzll(rest)].result = result;
    }
}

inline Mask arrived_at(const Warp& warp, Mask members, Meeting meeting) {
    Mask arrived = 0;
    for (Mask rest = members; rest; rest &= rest - 1) {
        const Thread& thread = warp.threads[__builtin_ctzll(rest)];
        if (thread.state == State::in_warp && thread.mask == members && thread.meeting == meeting) arrived |= Mask(1) << thread.lane;
    }
    return arrived;
}

// A warp operation over the lanes of `mask`: waits until all of them have come to the same one.
inline uint64_t meet(Meeting meeting, Mask mask, int line, uint64_t value, uint64_t operand) {
    on_pause();
    Thread& me = *self;
    Warp& warp = warps[me.warp];
    Mask members = mask & warp.present;  // a partial last warp has no further lanes
    me.state = State::in_warp;
    me.meeting = meeting;
    me.mask = members;
    me.line = line;
    me.value = value;
    me.operand = operand;
    Mask bit = Mask(1) << me.lane;
    if (!(members & bit)) {
        report_pair("a warp operation whose mask does not name the calling lane", me, me);
        abandon();
    }
    warp.runnable &= ~bit;
    Mask arrived;
    if (warp.open_arrived && warp.open_mask == members && warp.open_meeting == meeting) {
        arrived = warp.open_arrived |= bit;
    } else {
        arrived = arrived_at(warp, members, meeting);
        if (!warp.open_arrived) {
            warp.open_mask = members;
            warp.open_meeting = meeting;
            warp.open_arrived = arrived;
        }
    }
    if (arrived == members) {
        on_meeting(warp, members, meeting);
        exchange(warp, members, meeting);
        if (warp.open_mask == members) warp.open_arrived = 0;
        for (Mask rest = members; rest; rest &= rest - 1) warp.threads[__builtin_ctzll(rest)].state = State::ready;
        warp.runnable |= members;
    } else {
        yield_to_scheduler();
    }
    on_resume();
    return me.result;
}

// A pause is where a thread that waits for memory to change lets all others go on.
inline void sleep(int line, const char* where = "__nanosleep") {
    on_pause();
    Thread& me = *self;
    me.line = line;
    me.sleeps_in = where;
    me.state = State::asleep;
    Mask bit = Mask(1) << me.lane;
    warps[me.warp].runnable &= ~bit;
    warps[me.warp].asleep |= bit;
    ++block.asleep;
    block.polls = 0;
    yield_to_scheduler();
    me.state = State::ready;
    on_resume();
}

// Called by strong reads: a loop of them that has no pause is given one from time to time.
inline void poll() {
    if (++block.polls >= 1 << 10) sleep(0);
}

}  // namespace repro
