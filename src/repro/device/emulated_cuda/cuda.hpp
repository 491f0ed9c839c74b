// CUDA C++'s names on the CPU: a kernel's source file compiles against this header unchanged.
#pragma once
#include <math.h>
#include <type_traits>

#include "async_copies.hpp"
#include "dpx.hpp"
#include "launch.hpp"
#include "simd.hpp"
#include "vectors.hpp"

#if REPRO_WARP_SIZE == 64
using WarpMask = unsigned long long;
#else
using WarpMask = unsigned;
#endif
constexpr int WARP_SIZE = REPRO_WARP_SIZE;
constexpr WarpMask FULL_MASK = ~WarpMask(0);
constexpr int warpSize = WARP_SIZE;

#define __global__
#define __device__ static inline
#define __host__
#define __forceinline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __constant__ static const
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
// A loaded copy of the module works on one block at a time, so a plain static is shared by exactly one block.
#define __shared__ static __attribute__((section("repro_shared")))

#define threadIdx (::repro::self->index)
#define blockIdx (::repro::block.index)
#define blockDim (::repro::block.dimensions)
#define gridDim (::repro::block.grid)

#undef assert
#define assert(condition) \
    ((condition) ? void() : (::repro::report("assertion failed, line %d: %s", __LINE__, #condition), ::repro::abandon()))

inline void __trap(int line = __builtin_LINE()) {
    repro::report("__trap, line %d", line);
    repro::abandon();
}

// Barriers and fences

inline void __syncthreads(int line = __builtin_LINE()) { repro::barrier(line, false); }
inline int __syncthreads_or(int predicate, int line = __builtin_LINE()) {
    repro::barrier(line, predicate != 0);
    return int(repro::block.released_or);
}
inline int __syncthreads_and(int predicate, int line = __builtin_LINE()) {
    repro::barrier(line, predicate != 0);
    return int(repro::block.released_and);
}
inline int __syncthreads_count(int predicate, int line = __builtin_LINE()) {
    repro::barrier(line, predicate != 0);
    return int(repro::block.released_count);
}
namespace repro {
inline void fence() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    on_fence();
}
}  // namespace repro
inline void __threadfence() { repro::fence(); }
inline void __threadfence_block() { repro::fence(); }
inline void __threadfence_system() { repro::fence(); }

// A thread that waits for others must pause in its loop: that is where the emulator lets them go on.
inline void __nanosleep(unsigned, int line = __builtin_LINE()) { repro::sleep(line); }

// Warp operations

namespace repro {
template <class T>
inline uint64_t to_bits(T value) {
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class T>
inline T from_bits(uint64_t bits) {
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
template <class T>
inline T shuffle(Mask mask, T value, unsigned source, int line) {
    return from_bits<T>(meet(Meeting::shuffle, mask, line, to_bits(value), source));
}
}  // namespace repro

inline void __syncwarp(repro::Mask mask = FULL_MASK, int line = __builtin_LINE()) {
    repro::meet(repro::Meeting::sync, mask, line, 0, 0);
}
template <class T>
inline T __shfl_sync(repro::Mask mask, T value, int source, int width = warpSize, int line = __builtin_LINE()) {
    unsigned lane = repro::self->lane;
    return repro::shuffle(mask, value, (lane & ~unsigned(width - 1)) + (unsigned(source) & unsigned(width - 1)), line);
}
template <class T>
inline T __shfl_up_sync(repro::Mask mask, T value, unsigned delta, int width = warpSize, int line = __builtin_LINE()) {
    unsigned lane = repro::self->lane;
    return repro::shuffle(mask, value, (lane & unsigned(width - 1)) < delta ? lane : lane - delta, line);
}
template <class T>
inline T __shfl_down_sync(repro::Mask mask, T value, unsigned delta, int width = warpSize, int line = __builtin_LINE()) {
    unsigned lane = repro::self->lane;
    return repro::shuffle(mask, value, (lane & unsigned(width - 1)) + delta >= unsigned(width) ? lane : lane + delta, line);
}
template <class T>
inline T __shfl_xor_sync(repro::Mask mask, T value, int lanes, int width = warpSize, int line = __builtin_LINE()) {
    unsigned lane = repro::self->lane, source = lane ^ unsigned(lanes);
    return repro::shuffle(mask, value, source / unsigned(width) > lane / unsigned(width) ? lane : source, line);
}
inline WarpMask __ballot_sync(repro::Mask mask, int predicate, int line = __builtin_LINE()) {
    return WarpMask(repro::meet(repro::Meeting::ballot, mask, line, predicate != 0, 0));
}
inline int __any_sync(repro::Mask mask, int predicate, int line = __builtin_LINE()) {
    return __ballot_sync(mask, predicate, line) != 0;
}
inline int __all_sync(repro::Mask mask, int predicate, int line = __builtin_LINE()) {
    return __ballot_sync(mask, !predicate, line) == 0;
}
template <class T>
inline WarpMask __match_any_sync(repro::Mask mask, T value, int line = __builtin_LINE()) {
    return WarpMask(repro::meet(repro::Meeting::match, mask, line, repro::to_bits(value), 0));
}
inline WarpMask __activemask() { return WarpMask(1) << repro::self->lane; }  // all that a lane may count on

#define REPRO_REDUCTION(name, type, meeting)                                                        \
    inline type name(repro::Mask mask, type value, int line = __builtin_LINE()) {                   \
        return type(repro::meet(repro::Meeting::meeting, mask, line, uint32_t(value), 0));           \
    }
REPRO_REDUCTION(__reduce_add_sync, unsigned, add)
REPRO_REDUCTION(__reduce_add_sync, int, add)
REPRO_REDUCTION(__reduce_min_sync, unsigned, min_unsigned)
REPRO_REDUCTION(__reduce_min_sync, int, min_signed)
REPRO_REDUCTION(__reduce_max_sync, unsigned, max_unsigned)
REPRO_REDUCTION(__reduce_max_sync, int, max_signed)
REPRO_REDUCTION(__reduce_and_sync, unsigned, bit_and)
REPRO_REDUCTION(__reduce_or_sync, unsigned, bit_or)
REPRO_REDUCTION(__reduce_xor_sync, unsigned, bit_xor)
#undef REPRO_REDUCTION

// Atomics: blocks run on several host threads, so they are real ones

namespace repro {
template <class T, class Update>
REPRO_UNWATCHED inline T atomic_update(T* address, Update update) {
    poll();
    on_atomic(address, sizeof(T), __builtin_return_address(0));
    T seen, wanted;
    __atomic_load(address, &seen, __ATOMIC_RELAXED);
    do wanted = update(seen);
    while (!__atomic_compare_exchange(address, &seen, &wanted, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    return seen;
}
// Integers wrap around on a GPU.
template <class T, class Operation>
inline T wrapping(T a, T b, Operation operation) {
    if constexpr (std::is_integral_v<T>) return T(operation(std::make_unsigned_t<T>(a), std::make_unsigned_t<T>(b)));
    else return operation(a, b);
}
template <class T>
struct identity { using type = T; };
template <class T>
using same = typename identity<T>::type;  // the pointer alone decides the type
}  // namespace repro

#define REPRO_ATOMIC(name, expression)                                                              \
    template <class T>                                                                              \
    REPRO_INLINE T name(T* address, repro::same<T> value) {                                               \
        return repro::atomic_update(address, [value](T old) -> T { return expression; });           \
    }
REPRO_ATOMIC(atomicAdd, repro::wrapping(old, value, [](auto a, auto b) { return a + b; }))
REPRO_ATOMIC(atomicSub, repro::wrapping(old, value, [](auto a, auto b) { return a - b; }))
REPRO_ATOMIC(atomicMin, value < old ? value : old)
REPRO_ATOMIC(atomicMax, value > old ? value : old)
REPRO_ATOMIC(atomicAnd, T(old & value))
REPRO_ATOMIC(atomicOr, T(old | value))
REPRO_ATOMIC(atomicXor, T(old ^ value))
REPRO_ATOMIC(atomicExch, (void(old), value))
REPRO_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
REPRO_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1)
#undef REPRO_ATOMIC
template <class T>
REPRO_INLINE T atomicCAS(T* address, repro::same<T> expected, repro::same<T> wanted) {
    return repro::atomic_update(address, [=](T old) -> T { return old == expected ? wanted : old; });
}

// Integer and float intrinsics

template <class T>
inline T min(T a, T b) { return b < a ? b : a; }
template <class T>
inline T max(T a, T b) { return a < b ? b : a; }
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
    return __builtin_bswap32(x);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return unsigned(((uint64_t(high) << 32 | low) << (shift & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return unsigned((uint64_t(high) << 32 | low) >> (shift & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    uint64_t bytes = uint64_t(y) << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        unsigned chosen = selector >> 4 * i & 7;  // the instruction's fourth bit, the sign, is not the function's
        result |= (unsigned(bytes >> 8 * chosen) & 0xFF) << 8 * i;
    }
    return result;
}
template <class T>
REPRO_INLINE T __ldg(const T* address) { return *address; }

// Loads and stores past the first-level cache, or all caches: what another block writes meanwhile is seen, word by word.
template <class T>
REPRO_INLINE T __ldcv(const T* address) {
    repro::poll();
    static_assert(sizeof(T) % 4 == 0, "whole 32-bit words only");
    T value;
    for (std::size_t word = 0; word < sizeof(T) / 4; ++word)
        reinterpret_cast<uint32_t*>(&value)[word] = __atomic_load_n(reinterpret_cast<const uint32_t*>(address) + word, __ATOMIC_RELAXED);
    return value;
}
template <class T>
REPRO_INLINE void __stcg(T* address, repro::same<T> value) {
    static_assert(sizeof(T) % 4 == 0, "whole 32-bit words only");
    for (std::size_t word = 0; word < sizeof(T) / 4; ++word)
        __atomic_store_n(reinterpret_cast<uint32_t*>(address) + word, reinterpret_cast<uint32_t*>(&value)[word], __ATOMIC_RELAXED);
}
template <class T>
REPRO_INLINE void __stwt(T* address, repro::same<T> value) {
    __stcg(address, value);
}

namespace repro {

// What `volatile T` is in a kernel: a loop that reads it until another thread has written lets that thread go on.
template <class T>
struct Volatile {
    T value;
    REPRO_INLINE operator T() const {
#ifndef REPRO_SEE_ACCESSES  // where every access is seen, so is this one
        poll();
#endif
        return *static_cast<const volatile T*>(&value);
    }
    REPRO_INLINE T operator=(T written) {
        *static_cast<volatile T*>(&value) = written;
        return written;
    }
    REPRO_INLINE T operator=(const Volatile& other) { return *this = T(other); }
    REPRO_INLINE T operator+=(T by) { return *this = T(T(*this) + by); }
    REPRO_INLINE T operator-=(T by) { return *this = T(T(*this) - by); }
    REPRO_INLINE T operator|=(T bits) { return *this = T(T(*this) | bits); }
    REPRO_INLINE T operator&=(T bits) { return *this = T(T(*this) & bits); }
};

}  // namespace repro

inline int __float_as_int(float x) { return repro::from_bits<int>(repro::to_bits(x)); }
inline float __int_as_float(int x) { return repro::from_bits<float>(repro::to_bits(x)); }

#include "wgmma.hpp"

// How the host calls a kernel

namespace repro {
template <class... Parameters, std::size_t... I>
REPRO_UNWATCHED inline void call(void (*kernel)(Parameters...), void** arguments, std::index_sequence<I...>) {
    kernel(*static_cast<std::remove_reference_t<Parameters>*>(arguments[I])...);
}
}  // namespace repro

#define REPRO_LAUNCHER(kernel)                                                                      \
    namespace repro {                                                                               \
    template <class... Parameters>                                                                  \
    inline void body_of_##kernel(void (*function)(Parameters...), void** arguments) {               \
        call(function, arguments, std::index_sequence_for<Parameters...>{});                        \
    }                                                                                               \
    }                                                                                               \
    extern "C" __attribute__((visibility("default"))) int repro_launch_##kernel(Launch* launch) {   \
        return repro::run_blocks(launch, #kernel,                                                   \
            [](void** arguments) { repro::body_of_##kernel(kernel, arguments); }, WARP_SIZE);       \
    }
