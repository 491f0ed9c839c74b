// Copies from global to shared memory that run beside the arithmetic (cp.async, from compute capability 8.0 on).
//
// A thread begins copies of 16 aligned bytes, closes a group of them, and waits until at most N of its latest groups are
// under way; other threads see what has arrived after the next barrier.
#pragma once

#ifdef REPRO_WARP_SIZE  // the emulator's own names
__device__ void begin_copy(void* shared, const void* global) { ::repro::begin_copy(shared, global); }
__device__ void close_group() { ::repro::close_group(); }
template <int N>
__device__ void await_groups() { ::repro::await_groups(N); }
#elif __CUDA_ARCH__ >= 800
__device__ __forceinline__ void begin_copy(void* shared, const void* global) {
    unsigned to = unsigned(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
}
__device__ __forceinline__ void close_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N>
__device__ __forceinline__ void await_groups() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }
#else
__device__ __forceinline__ void begin_copy(void* shared, const void* global) {
    *static_cast<uint4*>(shared) = *static_cast<const uint4*>(global);
}
__device__ __forceinline__ void close_group() {}
template <int N>
__device__ __forceinline__ void await_groups() {}
#endif
