// Vector types, aligned as in CUDA.
#pragma once
#include "state.hpp"

#ifdef REPRO_SEE_ACCESSES
// Copied as a whole, as the hardware does, where a host compiler copies member by member.
namespace repro {
REPRO_UNWATCHED inline void copy_whole(void* to, const void* from, std::size_t size) {
    on_access(from, size, false, __builtin_return_address(0));
    on_access(to, size, true, __builtin_return_address(0));
    memcpy(to, from, size);
}
}  // namespace repro
#define REPRO_WHOLE(name)                                                                           \
    name() = default;                                                                               \
    REPRO_INLINE name(const name& other) { repro::copy_whole(this, &other, sizeof(name)); }         \
    REPRO_INLINE name& operator=(const name& other) { return repro::copy_whole(this, &other, sizeof(name)), *this; }
#define REPRO_WHOLE2(name, type) constexpr name(type a, type b = {}) : x(a), y(b) {} REPRO_WHOLE(name)
#define REPRO_WHOLE4(name, type) \
    constexpr name(type a, type b = {}, type c = {}, type d = {}) : x(a), y(b), z(c), w(d) {} REPRO_WHOLE(name)
#else
#define REPRO_WHOLE2(name, type)
#define REPRO_WHOLE4(name, type)
#endif

#define REPRO_VECTOR2(type, name)                                                                   \
    struct __attribute__((aligned(2 * sizeof(type)))) name { type x, y; REPRO_WHOLE2(name, type) }; \
    inline name make_##name(type x, type y) { return {x, y}; }
#define REPRO_VECTOR4(type, name)                                                                   \
    struct __attribute__((aligned(sizeof(type) < 4 ? 4 * sizeof(type) : 16))) name {                \
        type x, y, z, w;                                                                            \
        REPRO_WHOLE4(name, type)                                                                    \
    };                                                                                              \
    inline name make_##name(type x, type y, type z, type w) { return {x, y, z, w}; }
#define REPRO_VECTORS(type, name)                                                                   \
    REPRO_VECTOR2(type, name##2)                                                                    \
    struct name##3 { type x, y, z; };                                                               \
    inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                     \
    REPRO_VECTOR4(type, name##4)
REPRO_VECTORS(signed char, char)
REPRO_VECTORS(unsigned char, uchar)
REPRO_VECTORS(short, short)
REPRO_VECTORS(unsigned short, ushort)
REPRO_VECTORS(int, int)
REPRO_VECTORS(float, float)
REPRO_VECTORS(double, double)
REPRO_VECTOR2(unsigned, uint2)
REPRO_VECTOR4(unsigned, uint4)
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }  // the struct is that of threadIdx
#undef REPRO_VECTORS
#undef REPRO_VECTOR2
#undef REPRO_VECTOR4
#undef REPRO_WHOLE2
#undef REPRO_WHOLE4
#ifdef REPRO_WHOLE
#undef REPRO_WHOLE
#endif
