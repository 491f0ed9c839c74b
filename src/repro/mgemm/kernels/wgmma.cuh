// Tensor cores of compute capability 9.0 on bits: d += popcount(a AND b) of 64 rows by 256 columns over 256 bits, by a
// warpgroup, four consecutive warps of which the first is a multiple of four, with both operands in shared memory.
//
// Lane l of warp w holds the rows 16 w + l / 4 (d[4 i], d[4 i + 1]) and the eighth after it, of columns 8 i + 2 (l % 4)
// and the next. PTX ISA, "Matrix fragments for wgmma.mma_async.m64nNk256". Products run beside the threads, in groups
// as the copies of copies.cuh; until they have been awaited, d must not be touched.
#pragma once
#include "bulk_copies.cuh"

using Descriptor = uint64_t;

// Of an operand whose rows are 64 bytes, in the order of the 64-byte swizzle: 16 bytes at byte x of an area that begins at
// a multiple of 512 bytes lie at x ^ (x / 128 % 4 * 16). The next 256 bits of the rows are 32 bytes, 2 in the
// descriptor, further on.
__device__ __forceinline__ Descriptor describe(const void* shared) {
    constexpr Descriptor eight_rows = 32, swizzle_64 = 2;  // in units of 16 bytes; its number
    return (shared_address(shared) & 0x3FFFF) / 16 | eight_rows << 32 | swizzle_64 << 62;
}

#ifdef REPRO_WARP_SIZE
__device__ void begin_products() {}
__device__ __forceinline__ void wgmma_and_popc(int (&d)[128], Descriptor a, Descriptor b, int line = __builtin_LINE()) {
    ::repro::wgmma_and_popc(d, 128, a, b, line);
}
__device__ void close_products() { ::repro::close_products(); }
template <int N>
__device__ __forceinline__ void await_products() { ::repro::await_products(N); }
#else
// Before the first product after d has been written.
__device__ __forceinline__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
#define EIGHT(i)                                                                                                        \
    "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3]), "+r"(d[i + 4]), "+r"(d[i + 5]), "+r"(d[i + 6]), "+r"(d[i + 7])
__device__ __forceinline__ void wgmma_and_popc(int (&d)[128], Descriptor a, Descriptor b) {
    asm volatile(
        "{.reg .pred add; setp.eq.u32 add, 1, 1;\n"
        "wgmma.mma_async.sync.aligned.m64n256k256.s32.b1.b1.and.popc "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
        "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
        "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
        "%62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "
        "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, "
        "%101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, "
        "%117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
        "%128, %129, add;}"
        : EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24), EIGHT(32), EIGHT(40), EIGHT(48), EIGHT(56),
          EIGHT(64), EIGHT(72), EIGHT(80), EIGHT(88), EIGHT(96), EIGHT(104), EIGHT(112), EIGHT(120)
        : "l"(a), "l"(b));
}
#undef EIGHT
__device__ __forceinline__ void close_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N>
__device__ __forceinline__ void await_products() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory"); }
#endif
