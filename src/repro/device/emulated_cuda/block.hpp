// Runs the blocks of a launch: thread order, block barriers, warp meetings, and what happens when one never comes.
#pragma once
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "fiber.hpp"

struct uint3 { unsigned x, y, z; };
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

// What the host passes for one launch; shared by all host threads that work on it.
struct Launch {
    uint32_t grid[3], block[3];
    uint64_t shared_bytes;
    void** arguments;
    uint32_t order;  // 0 forward, 1 reverse, 2 seeded random
    uint32_t chunk;  // blocks taken at a time
    uint64_t seed;
    uint64_t next_block;
    uint32_t failed;
    char error[1020];
};

extern "C" __attribute__((weak, visibility("hidden"))) char __start_repro_shared[], __stop_repro_shared[];

namespace repro {

using Mask = uint64_t;
enum class Meeting : uint8_t { sync, shuffle, ballot, match, add, min_signed, max_signed, min_unsigned, max_unsigned, bit_and, bit_or, bit_xor };
enum class State : uint8_t { fresh, ready, in_warp, at_barrier, returned };
constexpr const char* meeting_names[] = {"__syncwarp", "a shuffle", "a vote", "__match_any_sync", "a reduction", "a reduction",
    "a reduction", "a reduction", "a reduction", "a reduction", "a reduction", "a reduction"};

struct Thread {
    void* stack_pointer;
    char* stack;
    uint3 index;
    State state;
    uint8_t lane;
    Meeting meeting;
    int line;
    unsigned warp;
    Mask mask;
    uint64_t value, operand, result;
};

struct Warp {
    Thread* threads;
    unsigned size;
    Mask present, runnable;
    Mask open_mask, open_arrived;  // the meeting that lanes are coming to now
    Meeting open_meeting;
};

struct Block {
    Launch* launch;
    const char* kernel;
    void (*body)(void**);
    dim3 grid, dimensions;
    uint3 index;
    unsigned threads, warps, running;
    unsigned at_barrier;
    int barrier_line;
    uint64_t barrier_or, barrier_and, barrier_count;  // gathered on the way in
    uint64_t released_or, released_and, released_count;  // read on the way out
    char* dynamic_shared;
    void* scheduler;
    uint64_t random;
    bool failed;
};

static Thread* self;  // a loaded copy of a module belongs to one host thread at a time, so these are plain statics
static Block block;
static std::vector<Thread> pool;
static std::vector<Warp> warps;
static std::vector<char*> stacks;
static std::vector<unsigned> warp_order;

inline uint64_t next_random() {
    block.random ^= block.random << 13;
    block.random ^= block.random >> 7;
    block.random ^= block.random << 17;
    return block.random;
}

inline void order_of(unsigned* order, unsigned count) {
    for (unsigned i = 0; i < count; ++i) order[i] = block.launch->order == 1 ? count - 1 - i : i;
    if (block.launch->order == 2)
        for (unsigned i = count; i > 1; --i) {
            unsigned j = next_random() % i;
            unsigned swapped = order[i - 1];
            order[i - 1] = order[j];
            order[j] = swapped;
        }
}

// The first error of a launch is kept, and no further block is started.
__attribute__((format(printf, 1, 2))) inline void report(const char* format, ...) {
    block.failed = true;
    if (__atomic_exchange_n(&block.launch->failed, 1u, __ATOMIC_SEQ_CST)) return;
    int used = snprintf(block.launch->error, sizeof block.launch->error, "kernel %s, block (%u,%u,%u): ", block.kernel,
                        block.index.x, block.index.y, block.index.z);
    va_list values;
    va_start(values, format);
    vsnprintf(block.launch->error + used, sizeof block.launch->error - used, format, values);
    va_end(values);
}

inline void yield_to_scheduler() { repro_switch(&self->stack_pointer, block.scheduler); }

[[noreturn]] inline void abandon() {
    for (;;) yield_to_scheduler();
}

inline void describe(char* text, std::size_t size, const Thread& thread) {
    int used = snprintf(text, size, "thread (%u,%u,%u) ", thread.index.x, thread.index.y, thread.index.z);
    if (thread.state == State::returned) snprintf(text + used, size - used, "has returned");
    else if (thread.state == State::at_barrier) snprintf(text + used, size - used, "waits at __syncthreads, line %d", thread.line);
    else if (thread.state == State::in_warp)
        snprintf(text + used, size - used, "waits in %s for lanes %#llx, line %d",
                 meeting_names[int(thread.meeting)], (unsigned long long)thread.mask, thread.line);
    else snprintf(text + used, size - used, "runs");
}

inline void report_pair(const char* what, const Thread& first, const Thread& second) {
    char a[160], b[160];
    describe(a, sizeof a, first);
    describe(b, sizeof b, second);
    report("%s: %s; %s", what, a, b);
}

// Nothing can run: name one thread that waits and one that it waits for in vain.
inline void report_deadlock() {
    const Thread* waiting = nullptr;
    for (unsigned i = 0; i < block.threads && !waiting; ++i)
        if (pool[i].state == State::in_warp) waiting = &pool[i];
    for (unsigned i = 0; i < block.threads && !waiting; ++i)
        if (pool[i].state == State::at_barrier) waiting = &pool[i];
    const Thread* missing = nullptr;
    if (waiting->state == State::in_warp) {
        const Warp& warp = warps[waiting->warp];
        for (unsigned lane = 0; lane < warp.size && !missing; ++lane) {
            const Thread& other = warp.threads[lane];
            bool arrived = other.state == State::in_warp && other.mask == waiting->mask && other.meeting == waiting->meeting;
            if ((waiting->mask >> lane & 1) && !arrived) missing = &other;
        }
        report_pair("a warp operation that not all named lanes reach", *waiting, *missing);
        return;
    }
    for (unsigned i = 0; i < block.threads && !missing; ++i)
        if (pool[i].state != State::at_barrier) missing = &pool[i];
    report_pair("a barrier that not all threads reach", *waiting, *missing);
}

inline void release_barrier() {
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
        exchange(warp, members, meeting);
        if (warp.open_mask == members) warp.open_arrived = 0;
        for (Mask rest = members; rest; rest &= rest - 1) warp.threads[__builtin_ctzll(rest)].state = State::ready;
        warp.runnable |= members;
    } else {
        yield_to_scheduler();
    }
    return me.result;
}

inline void thread_main() {
    block.body(block.launch->arguments);
    self->state = State::returned;
    warps[self->warp].runnable &= ~(Mask(1) << self->lane);
    --block.running;
    abandon();
}

inline void resume(Thread& thread) {
    self = &thread;
    if (thread.state == State::fresh) {
        if (stacks.empty()) stacks.push_back(allocate_stack());
        thread.stack = stacks.back();
        stacks.pop_back();
        thread.stack_pointer = prepare_stack(thread.stack, thread_main);
        thread.state = State::ready;
    }
    repro_switch(&block.scheduler, thread.stack_pointer);
    if (thread.state == State::returned) {
        stacks.push_back(thread.stack);  // taken again by the next thread while it is still in the cache
        thread.stack = nullptr;
    }
}

// Runs a warp until all its lanes wait for others or have returned; true if any lane ran.
inline bool run_warp(Warp& warp) {
    unsigned order[64];
    order_of(order, warp.size);
    bool ran = false;
    while (warp.runnable && !block.failed) {
        for (unsigned i = 0; i < warp.size && !block.failed; ++i)
            if (warp.runnable >> order[i] & 1) resume(warp.threads[order[i]]);
        ran = true;
        if (block.launch->order == 2) order_of(order, warp.size);
    }
    return ran;
}

inline void prepare_block(uint64_t number, unsigned warp_size) {
    Launch& launch = *block.launch;
    block.index = {unsigned(number % launch.grid[0]), unsigned(number / launch.grid[0] % launch.grid[1]),
                   unsigned(number / launch.grid[0] / launch.grid[1])};
    block.running = block.threads;
    block.at_barrier = 0;
    block.barrier_or = block.barrier_count = 0;
    block.barrier_and = 1;
    block.random = (launch.seed + 1) * 0x9E3779B97F4A7C15ull ^ (number + 1) * 0xD1B54A32D192ED03ull;
    // Shared memory starts as a large positive, a large negative or a random pattern: neither a maximum nor a
    // minimum may hide a word that was never written.
    int poison = launch.order == 0 ? 0x7B : launch.order == 1 ? 0xCB : int(next_random() & 0xFF);
    memset(__start_repro_shared, poison, __stop_repro_shared - __start_repro_shared);
    memset(block.dynamic_shared, poison, launch.shared_bytes);
    unsigned i = 0;
    for (unsigned w = 0; w < block.warps; ++w) {
        unsigned size = block.threads - i < warp_size ? block.threads - i : warp_size;
        Mask present = size == 64 ? ~Mask(0) : (Mask(1) << size) - 1;
        warps[w] = {&pool[i], size, present, present, 0, 0, Meeting::sync};
        for (unsigned lane = 0; lane < size; ++lane, ++i) {
            Thread& thread = pool[i];
            thread.index = {i % launch.block[0], i / launch.block[0] % launch.block[1], i / launch.block[0] / launch.block[1]};
            thread.state = State::fresh;
            thread.lane = uint8_t(lane);
            thread.warp = w;
        }
    }
}

inline void run_block() {
    while (block.running && !block.failed) {
        order_of(warp_order.data(), block.warps);
        bool ran = false;
        for (unsigned w = 0; w < block.warps && !block.failed; ++w) ran |= run_warp(warps[warp_order[w]]);
        if (!ran && !block.failed) report_deadlock();
    }
    if (block.failed)  // the fibers are dropped where they stand: a kernel owns nothing that needs unwinding
        for (unsigned i = 0; i < block.threads; ++i)
            if (pool[i].stack) {
                stacks.push_back(pool[i].stack);
                pool[i].stack = nullptr;
            }
}

inline uint64_t greatest_common_divisor(uint64_t a, uint64_t b) { return b ? greatest_common_divisor(b, a % b) : a; }

// Takes blocks until none is left; called by every host thread that works on the launch.
inline int run_blocks(Launch* launch, const char* kernel, void (*body)(void**), unsigned warp_size) {
    block.launch = launch;
    block.kernel = kernel;
    block.body = body;
    block.failed = false;
    block.grid = dim3(launch->grid[0], launch->grid[1], launch->grid[2]);
    block.dimensions = dim3(launch->block[0], launch->block[1], launch->block[2]);
    block.threads = launch->block[0] * launch->block[1] * launch->block[2];
    block.warps = (block.threads + warp_size - 1) / warp_size;
    if (pool.size() < block.threads) pool.resize(block.threads, Thread{});
    if (warps.size() < block.warps) warps.resize(block.warps);
    if (warp_order.size() < block.warps) warp_order.resize(block.warps);
    std::size_t reserved = (launch->shared_bytes + 1023) / 1024 * 1024 + 1024;
    block.dynamic_shared = static_cast<char*>(std::aligned_alloc(1024, reserved));
    uint64_t blocks = uint64_t(launch->grid[0]) * launch->grid[1] * launch->grid[2];
    uint64_t stride = 1 + launch->seed % blocks;
    while (greatest_common_divisor(stride, blocks) != 1) stride = stride % blocks + 1;
    while (!__atomic_load_n(&launch->failed, __ATOMIC_RELAXED)) {
        uint64_t first = __atomic_fetch_add(&launch->next_block, launch->chunk, __ATOMIC_RELAXED);
        if (first >= blocks) break;
        uint64_t last = first + launch->chunk < blocks ? first + launch->chunk : blocks;
        for (uint64_t i = first; i < last && !block.failed; ++i) {
            uint64_t number = launch->order == 0 ? i : launch->order == 1 ? blocks - 1 - i : i * stride % blocks;
            prepare_block(number, warp_size);
            run_block();
        }
    }
    std::free(block.dynamic_shared);
    return int(launch->failed);
}

}  // namespace repro
