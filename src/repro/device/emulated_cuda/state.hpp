// What the emulator knows about the launch, its block, warps and threads, and how a fault is put into words.
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

// One array of the device, as messages call it.
struct Memory {
    char *begin, *end;
    char name[112];
};

// What the accesses of one kind at one place of the code came to, over all warps of a launch.
struct TrafficRow {
    uint64_t place;
    uint32_t shared, operation;
    uint64_t requests, lanes, sectors, transactions, passes;
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
    uint32_t cooperative;  // all blocks are resident at once and take turns
    uint32_t workers;      // host threads that may take blocks
    uint32_t working;      // those of them that have something to do besides waiting
    uint32_t failed;
    char error[1008];
    const Memory* memories;  // the device's arrays, in the order of their addresses
    uint64_t memory_count;
    const TrafficRow* traffic;  // what an instrumented build has counted
    uint64_t traffic_count;
};

extern "C" __attribute__((weak, visibility("hidden"))) char __start_repro_shared[], __stop_repro_shared[];

namespace repro {

using Mask = uint64_t;
enum class Meeting : uint8_t { sync, shuffle, ballot, match, mma, wgmma, add, min_signed, max_signed, min_unsigned, max_unsigned, bit_and, bit_or, bit_xor };
enum class State : uint8_t { fresh, ready, in_warp, at_barrier, asleep, returned };
constexpr const char* meeting_names[] = {"__syncwarp", "a shuffle", "a vote", "__match_any_sync", "mma", "wgmma", "a reduction", "a reduction",
    "a reduction", "a reduction", "a reduction", "a reduction", "a reduction", "a reduction"};

// A copy to shared memory that is under way.
struct LateCopy {
    void* to;
    const void* from;
    unsigned group;
};

// A matrix product of a warpgroup that is under way: one lane's results, and the descriptors of its operands.
struct LateProduct {
    int* d;
    unsigned results;
    uint64_t a, b;
    unsigned group;
};

// A copy to shared memory that is under way, and the barrier that counts its bytes.
struct BulkCopy {
    char* to;
    const char* from;
    unsigned bytes;
    uint64_t* barrier;
};

struct Thread {
    void* stack_pointer;
    char* stack;
    uint3 index;
    State state;
    uint8_t lane;
    Meeting meeting;
    const char* sleeps_in;
    int line;
    unsigned warp;
    Mask mask;
    uint64_t value, operand, result;
    unsigned closed_groups, closed_products;
    std::vector<LateCopy> copies;
    std::vector<LateProduct> products;
};

struct Warp {
    Thread* threads;
    unsigned size;
    Mask present, runnable, asleep;
    Mask open_mask, open_arrived;  // the meeting that lanes are coming to now
    Meeting open_meeting;
};

struct Block {
    Launch* launch;
    const char* kernel;
    void (*body)(void**);
    dim3 grid, dimensions;
    uint3 index;
    unsigned threads, warps, running, asleep;
    unsigned polls;  // atomic and other strong reads since a thread was last made to pause
    unsigned at_barrier;
    int barrier_line;
    uint64_t barrier_or, barrier_and, barrier_count;  // gathered on the way in
    uint64_t released_or, released_and, released_count;  // read on the way out
    char* dynamic_shared;
    void* scheduler;
    uint64_t random;
    bool failed;
    std::vector<BulkCopy> bulk_copies;
};

// A loaded copy of a module belongs to one host thread at a time, so these are plain variables.
inline Thread* self;
inline Block block;
inline std::vector<Thread> pool;
inline std::vector<Warp> warps;
inline std::vector<char*> stacks;
inline std::vector<unsigned> warp_order;

// The first error of a launch is kept, and no further block is started.
inline void report_text(const char* where, const char* format, va_list values) {
    block.failed = true;
    if (__atomic_exchange_n(&block.launch->failed, 1u, __ATOMIC_SEQ_CST)) return;
    char* error = block.launch->error;
    std::size_t size = sizeof block.launch->error;
    int used = snprintf(error, size, "kernel %s%s: ", block.kernel, where);
    vsnprintf(error + used, size - used, format, values);
}

__attribute__((format(printf, 1, 2))) inline void report(const char* format, ...) {
    char where[64];
    snprintf(where, sizeof where, ", block (%u,%u,%u)", block.index.x, block.index.y, block.index.z);
    va_list values;
    va_start(values, format);
    report_text(where, format, values);
    va_end(values);
}

// An error of several blocks at once.
__attribute__((format(printf, 1, 2))) inline void report_launch(const char* format, ...) {
    va_list values;
    va_start(values, format);
    report_text("", format, values);
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
    else if (thread.state == State::asleep && !thread.line) snprintf(text + used, size - used, "polls memory without a pause");
    else if (thread.state == State::asleep) snprintf(text + used, size - used, "waits in %s, line %d", thread.sleeps_in, thread.line);
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

// Inlined into the kernel, so that what is seen there has the kernel's line.
#define REPRO_INLINE inline __attribute__((always_inline))

// What an instrumented build (instrument/*.cpp) is told; nothing in an ordinary one.
#ifdef REPRO_INSTRUMENT
#define REPRO_UNWATCHED __attribute__((noinline, no_sanitize("address", "undefined", "thread")))
void on_stack_allocated(char* stack);
void on_stack_dropped(char* stack);
void on_launch_start();
void on_launch_end();
void on_block_start();
void on_resume();  // self goes on with the kernel's code
void on_pause();   // self has left it for the emulator's
void on_block_end();
void on_barrier();
void on_meeting(const Warp& warp, Mask members, Meeting meeting);
void on_fence();
void on_atomic(const void* address, std::size_t size, const void* caller);
void on_access(const void* address, std::size_t size, bool write, const void* caller);
#else
#define REPRO_UNWATCHED
inline void on_stack_allocated(char*) {}
inline void on_stack_dropped(char*) {}
inline void on_launch_start() {}
inline void on_launch_end() {}
inline void on_block_start() {}
inline void on_resume() {}
inline void on_pause() {}
inline void on_block_end() {}
inline void on_barrier() {}
inline void on_meeting(const Warp&, Mask, Meeting) {}
inline void on_fence() {}
inline void on_atomic(const void*, std::size_t, const void*) {}
#endif

}  // namespace repro
