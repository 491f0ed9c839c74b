// The DPX intrinsics of compute capability 9.0: minimum and maximum of two or three, after an addition, with what was
// chosen, and not below zero (relu). Additions wrap around; on 16-bit halves each half is its own.
#pragma once
#include <cstdint>

namespace repro {

template <class T>
inline T larger(T a, T b) { return a < b ? b : a; }
template <class T>
inline T smaller(T a, T b) { return b < a ? b : a; }
template <class T>
inline T wrapped_sum(T a, T b) { return T(uint32_t(a) + uint32_t(b)); }

// One operation on whole words, or on the high and the low halves of packed ones.
template <class T, class Operation, class... Words>
inline T on_words(Operation operation, Words... words) { return operation(words...); }
template <class Half, class Operation, class... Words>
inline unsigned on_halves(Operation operation, Words... words) {
    unsigned high = uint16_t(operation(Half(words >> 16)...));
    return high << 16 | uint16_t(operation(Half(words & 0xFFFF)...));
}

}  // namespace repro

#define REPRO_DPX(name, suffix, Word, T, apply, choice)                                              \
    inline Word __vi##name##3_##suffix(Word a, Word b, Word c) {                                     \
        return repro::apply<T>([](T x, T y, T z) { return choice<T>(choice<T>(x, y), z); }, a, b, c);          \
    }                                                                                                \
    inline Word __viadd##name##_##suffix(Word a, Word b, Word c) {                                   \
        return repro::apply<T>([](T x, T y, T z) { return choice<T>(repro::wrapped_sum<T>(x, y), z); }, a, b, c); \
    }
#define REPRO_DPX_RELU(name, suffix, Word, T, apply, choice)                                         \
    inline Word __vi##name##_##suffix##_relu(Word a, Word b) {                                       \
        return repro::apply<T>([](T x, T y) { return repro::larger<T>(choice<T>(x, y), 0); }, a, b);           \
    }                                                                                                \
    inline Word __vi##name##3_##suffix##_relu(Word a, Word b, Word c) {                              \
        return repro::apply<T>([](T x, T y, T z) { return repro::larger<T>(choice<T>(choice<T>(x, y), z), 0); }, a, b, c); \
    }                                                                                                \
    inline Word __viadd##name##_##suffix##_relu(Word a, Word b, Word c) {                            \
        return repro::apply<T>([](T x, T y, T z) {                                                             \
            return repro::larger<T>(choice<T>(repro::wrapped_sum<T>(x, y), z), 0);                   \
        }, a, b, c);                                                                                 \
    }
#define REPRO_DPX_CHOSEN(name, suffix, Word, choice, at_least)                                       \
    inline Word __vib##name##_##suffix(Word a, Word b, bool* first) {                                \
        *first = a at_least b;                                                                       \
        return choice(a, b);                                                                         \
    }
#define REPRO_DPX_CHOSEN_HALVES(name, suffix, Half, choice, at_least)                                \
    inline unsigned __vib##name##_##suffix(unsigned a, unsigned b, bool* high, bool* low) {          \
        *high = Half(a >> 16) at_least Half(b >> 16);                                                \
        *low = Half(a & 0xFFFF) at_least Half(b & 0xFFFF);                                           \
        return repro::on_halves<Half>(choice<Half>, a, b);                                           \
    }
#define REPRO_DPX_BOTH(macro, ...) macro(max, __VA_ARGS__, repro::larger) macro(min, __VA_ARGS__, repro::smaller)
REPRO_DPX_BOTH(REPRO_DPX, s32, int, int, on_words)
REPRO_DPX_BOTH(REPRO_DPX, u32, unsigned, unsigned, on_words)
REPRO_DPX_BOTH(REPRO_DPX, s16x2, unsigned, int16_t, on_halves)
REPRO_DPX_BOTH(REPRO_DPX, u16x2, unsigned, uint16_t, on_halves)
REPRO_DPX_BOTH(REPRO_DPX_RELU, s32, int, int, on_words)
REPRO_DPX_BOTH(REPRO_DPX_RELU, s16x2, unsigned, int16_t, on_halves)
REPRO_DPX_CHOSEN(max, s32, int, repro::larger, >=)
REPRO_DPX_CHOSEN(min, s32, int, repro::smaller, <=)
REPRO_DPX_CHOSEN(max, u32, unsigned, repro::larger, >=)
REPRO_DPX_CHOSEN(min, u32, unsigned, repro::smaller, <=)
REPRO_DPX_CHOSEN_HALVES(max, s16x2, int16_t, repro::larger, >=)
REPRO_DPX_CHOSEN_HALVES(min, s16x2, int16_t, repro::smaller, <=)
REPRO_DPX_CHOSEN_HALVES(max, u16x2, uint16_t, repro::larger, >=)
REPRO_DPX_CHOSEN_HALVES(min, u16x2, uint16_t, repro::smaller, <=)
#undef REPRO_DPX_BOTH
#undef REPRO_DPX_CHOSEN_HALVES
#undef REPRO_DPX_CHOSEN
#undef REPRO_DPX_RELU
#undef REPRO_DPX
