// Runs the blocks of a launch: the order of threads, and what happens when nothing can run any more.
#pragma once
#include <sched.h>
#include <time.h>

#include "meetings.hpp"

namespace repro {

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

inline void thread_main() {
    on_resume();
    block.body(block.launch->arguments);
    on_pause();
    self->state = State::returned;
    warps[self->warp].runnable &= ~(Mask(1) << self->lane);
    --block.running;
    abandon();
}

inline void resume(Thread& thread) {
    self = &thread;
    if (thread.state == State::fresh) {
        if (stacks.empty()) {
            stacks.push_back(allocate_stack());
            on_stack_allocated(stacks.back());
        }
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
    block.at_barrier = block.asleep = 0;
    block.barrier_or = block.barrier_count = 0;
    block.barrier_and = 1;
    block.bulk_copies.clear();
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
        warps[w] = {&pool[i], size, present, present, 0, 0, 0, Meeting::sync};
        for (unsigned lane = 0; lane < size; ++lane, ++i) {
            Thread& thread = pool[i];
            thread.index = {i % launch.block[0], i / launch.block[0] % launch.block[1], i / launch.block[0] / launch.block[1]};
            thread.state = State::fresh;
            thread.lane = uint8_t(lane);
            thread.warp = w;
            thread.closed_groups = thread.closed_products = 0;
            thread.copies.clear();
            thread.products.clear();
        }
    }
    on_block_start();
}

// Runs every warp of the block until all its threads wait, sleep or have returned, then wakes the sleepers; true if any
// slept.
inline bool run_round() {
    order_of(warp_order.data(), block.warps);
    bool ran = false;
    for (unsigned w = 0; w < block.warps && !block.failed; ++w) ran |= run_warp(warps[warp_order[w]]);
    if (!ran && !block.failed) report_deadlock();
    bool slept = block.asleep;
    for (unsigned w = 0; slept && w < block.warps; ++w) {
        warps[w].runnable |= warps[w].asleep;
        warps[w].asleep = 0;
    }
    block.asleep = 0;
    return slept;
}

// Drops the fibers where they stand: a kernel owns nothing that needs unwinding.
inline void drop_fibers() {
    for (unsigned i = 0; i < block.threads; ++i)
        if (pool[i].stack) {
            on_stack_dropped(pool[i].stack);
            stacks.push_back(pool[i].stack);
            pool[i].stack = nullptr;
        }
}

inline uint64_t digest(const char* begin, const char* end, uint64_t seed) {
    uint64_t word;
    for (; begin + 8 <= end; begin += 8) {
        memcpy(&word, begin, 8);
        seed = (seed ^ word) * 0x9E3779B97F4A7C15ull;
        seed ^= seed >> 29;
    }
    for (; begin < end; ++begin) seed = (seed ^ uint8_t(*begin)) * 0x9E3779B97F4A7C15ull;
    return seed;
}

// How long threads may sleep while nothing in memory changes: a wait that nobody ends must not hang the host.
struct Patience {
    uint64_t rounds = 0, next = 1 << 13, seen = 0;

    // To be asked after each round in which a thread slept: is it time to look at the memory?
    bool checks() {
        if (++rounds < next) return false;
        next *= 2;
        return true;
    }

    template <class SharedDigest>
    bool ends(SharedDigest shared_digest) {
        uint64_t before = seen;
        seen = shared_digest(0);
        for (uint64_t i = 0; i < block.launch->memory_count; ++i)
            seen = digest(block.launch->memories[i].begin, block.launch->memories[i].end, seen);
        return seen == before;
    }
};

// Whether this host thread has something to do besides waiting. In an ordinary launch a block may wait for one that has
// begun earlier, on another host thread.
inline bool working;
inline void set_working(bool now) {
    if (now != working) __atomic_add_fetch(&block.launch->working, now ? 1 : -1, __ATOMIC_SEQ_CST);
    working = now;
}

inline double seconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

inline const Thread* first_asleep(const Thread* threads, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
        if (threads[i].state == State::asleep) return &threads[i];
    return nullptr;
}

inline void run_block() {
    Patience patience;
    auto shared_digest = [](uint64_t seed) {
        seed = digest(__start_repro_shared, __stop_repro_shared, seed + block.running);
        return digest(block.dynamic_shared, block.dynamic_shared + block.launch->shared_bytes, seed);
    };
    constexpr double grace = 2;  // for a host thread that is ready to go on but has not had its turn
    double all_wait_since = 0;
    while (block.running && !block.failed) {
        bool slept = run_round();
        if (slept && block.launch->workers > 1) sched_yield();
        if (!slept) set_working(true);
        else if (patience.checks()) set_working(!patience.ends(shared_digest));
        if (working || block.failed) continue;
        if (__atomic_load_n(&block.launch->failed, __ATOMIC_SEQ_CST)) block.failed = true;
        else if (__atomic_load_n(&block.launch->working, __ATOMIC_SEQ_CST)) all_wait_since = 0;
        else if (block.launch->workers > 1 && !all_wait_since) all_wait_since = seconds();
        else if (block.launch->workers == 1 || seconds() > all_wait_since + grace) {
            set_working(!patience.ends(shared_digest));
            all_wait_since = 0;
            if (working) continue;
            char waits[160];
            describe(waits, sizeof waits, *first_asleep(pool.data(), block.threads));
            report("a wait that nobody ends (only blocks of a cooperative launch may wait for others): %s", waits);
        }
    }
    if (block.failed) drop_fibers();
    on_block_end();
}

inline void prepare_launch(Launch* launch, const char* kernel, void (*body)(void**), unsigned warp_size) {
    block.launch = launch;
    block.kernel = kernel;
    block.body = body;
    block.failed = false;
    block.grid = dim3(launch->grid[0], launch->grid[1], launch->grid[2]);
    block.dimensions = dim3(launch->block[0], launch->block[1], launch->block[2]);
    block.threads = launch->block[0] * launch->block[1] * launch->block[2];
    block.warps = (block.threads + warp_size - 1) / warp_size;
    if (warp_order.size() < block.warps) warp_order.resize(block.warps);
}

inline void make_room() {
    if (pool.size() < block.threads) pool.resize(block.threads, Thread{});
    if (warps.size() < block.warps) warps.resize(block.warps);
    std::size_t reserved = (block.launch->shared_bytes + 1023) / 1024 * 1024 + 1024;
    block.dynamic_shared = static_cast<char*>(std::aligned_alloc(1024, reserved));
}

}  // namespace repro
