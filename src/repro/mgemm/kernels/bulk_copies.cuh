// Copies of whole runs of memory to shared memory (cp.async.bulk, from compute capability 9.0 on), and the barriers that
// say when they have arrived.
//
// A barrier's phase ends when as many threads have arrived as it was made for and all bytes expected in it are there; a
// thread that waits names the phase by its parity, 0 for the first. Addresses and sizes are multiples of 16 bytes.
#pragma once

using Barrier = uint64_t;  // in shared memory

#ifdef REPRO_WARP_SIZE  // the emulator's own names
__device__ unsigned shared_address(const void* shared) { return ::repro::shared_address(shared); }
__device__ void make_barrier(Barrier* barrier, int arrivals) { ::repro::make_barrier(barrier, arrivals); }
__device__ void publish_barriers() {}
__device__ void arrive(Barrier* barrier) { ::repro::arrive(barrier, 0); }
__device__ void arrive_expecting(Barrier* barrier, int bytes) { ::repro::arrive(barrier, bytes); }
__device__ void begin_bulk_copy(void* shared, const void* global, int bytes, Barrier* barrier) {
    ::repro::begin_bulk_copy(shared, global, bytes, barrier);
}
__device__ void await_phase(Barrier* barrier, int parity, int line = __builtin_LINE()) {
    assert(parity == bool(parity));
    ::repro::await_phase(barrier, parity, line);
}
#else
__device__ __forceinline__ unsigned shared_address(const void* shared) { return unsigned(__cvta_generic_to_shared(shared)); }
__device__ __forceinline__ void make_barrier(Barrier* barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
// By the thread that has made barriers, before the others' first __syncthreads: copies see them too.
__device__ __forceinline__ void publish_barriers() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ __forceinline__ void arrive(Barrier* barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
__device__ __forceinline__ void arrive_expecting(Barrier* barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}
__device__ __forceinline__ void begin_bulk_copy(void* shared, const void* global, int bytes, Barrier* barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(shared)),
                 "l"(global), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}
__device__ __forceinline__ void await_phase(Barrier* barrier, int parity) {
    asm volatile(
        "{\n"
        ".reg .pred over;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
        "@!over bra again;\n"
        "}" ::"r"(shared_address(barrier)),
        "r"(parity)
        : "memory");
}
#endif
