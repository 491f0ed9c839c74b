// Every access of the kernel, as seen by the calls that -fsanitize=thread puts in: one function to answer them all.
#pragma once
#include "common.hpp"
#include "meetings.hpp"

namespace repro {

enum class Kind : uint8_t { plain, strong, atomic };  // strong: volatile, or past the first-level cache

// Defined by the instrument.
void accessed(const char* address, std::size_t size, bool write, Kind kind, const void* caller);

inline void access(const volatile void* address, std::size_t size, bool write, Kind kind, const void* caller) {
    auto at = static_cast<const char*>(const_cast<const void*>(address));
    if (!running || on_own_stack(at)) return;
    accessed(at, size, write, kind, caller);
    if (kind == Kind::strong && !write) poll();
}

void on_stack_allocated(char*) {}
void on_stack_dropped(char*) {}
void on_atomic(const void* address, std::size_t size, const void* caller) { access(address, size, true, Kind::atomic, caller); }

void on_access(const void* address, std::size_t size, bool write, const void* caller) { access(address, size, write, Kind::plain, caller); }

}  // namespace repro

#define REPRO_CALLER __builtin_return_address(0)
#define REPRO_ACCESS(size)                                                                                       \
    REPRO_CALLBACK void __tsan_read##size(void* a) { repro::access(a, size, false, repro::Kind::plain, REPRO_CALLER); }         \
    REPRO_CALLBACK void __tsan_write##size(void* a) { repro::access(a, size, true, repro::Kind::plain, REPRO_CALLER); }         \
    REPRO_CALLBACK void __tsan_unaligned_read##size(void* a) { repro::access(a, size, false, repro::Kind::plain, REPRO_CALLER); } \
    REPRO_CALLBACK void __tsan_unaligned_write##size(void* a) { repro::access(a, size, true, repro::Kind::plain, REPRO_CALLER); } \
    REPRO_CALLBACK void __tsan_volatile_read##size(void* a) { repro::access(a, size, false, repro::Kind::strong, REPRO_CALLER); } \
    REPRO_CALLBACK void __tsan_volatile_write##size(void* a) { repro::access(a, size, true, repro::Kind::strong, REPRO_CALLER); } \
    REPRO_CALLBACK void __tsan_unaligned_volatile_read##size(void* a) { repro::access(a, size, false, repro::Kind::strong, REPRO_CALLER); } \
    REPRO_CALLBACK void __tsan_unaligned_volatile_write##size(void* a) { repro::access(a, size, true, repro::Kind::strong, REPRO_CALLER); }
REPRO_ACCESS(1)
REPRO_ACCESS(2)
REPRO_ACCESS(4)
REPRO_ACCESS(8)
REPRO_ACCESS(16)
#undef REPRO_ACCESS
REPRO_CALLBACK void __tsan_read_range(void* a, std::size_t size) { repro::access(a, size, false, repro::Kind::plain, REPRO_CALLER); }
REPRO_CALLBACK void __tsan_write_range(void* a, std::size_t size) { repro::access(a, size, true, repro::Kind::plain, REPRO_CALLER); }
REPRO_CALLBACK void __tsan_init() {}
REPRO_CALLBACK void __tsan_func_entry(void*) {}
REPRO_CALLBACK void __tsan_func_exit() {}
REPRO_CALLBACK void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// Single words past the first-level cache; atomic updates of the kernel come through on_atomic.
#define REPRO_STRONG(bits)                                                                                       \
    REPRO_CALLBACK uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t* a, int) {             \
        repro::access(a, bits / 8, false, repro::Kind::strong, REPRO_CALLER);                                    \
        return __atomic_load_n(a, __ATOMIC_SEQ_CST);                                                             \
    }                                                                                                            \
    REPRO_CALLBACK void __tsan_atomic##bits##_store(volatile uint##bits##_t* a, uint##bits##_t value, int) {      \
        repro::access(a, bits / 8, true, repro::Kind::strong, REPRO_CALLER);                                     \
        __atomic_store_n(a, value, __ATOMIC_SEQ_CST);                                                            \
    }                                                                                                            \
    REPRO_CALLBACK uint##bits##_t __tsan_atomic##bits##_fetch_add(volatile uint##bits##_t* a, uint##bits##_t by, int) { \
        repro::access(a, bits / 8, true, repro::Kind::atomic, REPRO_CALLER);                                     \
        return __atomic_fetch_add(a, by, __ATOMIC_SEQ_CST);                                                      \
    }                                                                                                            \
    REPRO_CALLBACK uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t* a, uint##bits##_t value, int) { \
        repro::access(a, bits / 8, true, repro::Kind::atomic, REPRO_CALLER);                                     \
        return __atomic_exchange_n(a, value, __ATOMIC_SEQ_CST);                                                  \
    }
REPRO_STRONG(8)
REPRO_STRONG(16)
REPRO_STRONG(32)
REPRO_STRONG(64)
#undef REPRO_STRONG
