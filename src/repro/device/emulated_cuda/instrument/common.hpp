// What the instruments share. The compiler puts a call before every access of the kernel; these files answer the calls
// in place of the sanitizers' own run-time libraries, so that nothing must be preloaded and a fault becomes an error of
// the launch that names kernel, block, thread and line.
#pragma once
#include "state.hpp"

#define REPRO_CALLBACK extern "C" __attribute__((visibility("hidden")))
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start[], _end[];

namespace repro {

inline bool running;  // kernel code runs, rather than the emulator's

// Where a call came from, for toolchain.py to turn into a line.
inline uint64_t place(const void* return_address) {
    return uint64_t(static_cast<const char*>(return_address) - 1 - __ehdr_start);
}

inline bool on_own_stack(const char* address) {
    return address >= self->stack && address < self->stack + stack_bytes;
}
inline bool in_static_shared(const char* address) { return address >= __start_repro_shared && address < __stop_repro_shared; }
inline bool in_dynamic_shared(const char* address) {
    return address >= block.dynamic_shared && address < block.dynamic_shared + block.launch->shared_bytes;
}

// The array that holds `address`, or else the one before it; null when there is none.
inline const Memory* array_at_or_before(const char* address) {
    const Launch& launch = *block.launch;
    uint64_t low = 0, high = launch.memory_count;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (launch.memories[middle].begin <= address) low = middle + 1;
        else high = middle;
    }
    return low ? &launch.memories[low - 1] : nullptr;
}
inline bool in_global(const char* address) {
    const Memory* array = array_at_or_before(address);
    return array && address < array->end;
}

}  // namespace repro
