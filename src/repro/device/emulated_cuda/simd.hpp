// Four bytes in a word: the SIMD intrinsics and dot products that kernels use.
#pragma once
#include <cstdint>

namespace repro {

template <class Operation>
inline unsigned on_bytes(Operation operation, unsigned a, unsigned b) {
    unsigned result = 0;
    for (int shift = 0; shift < 32; shift += 8)
        result |= unsigned(uint8_t(operation(int(a >> shift & 0xFF), int(b >> shift & 0xFF)))) << shift;
    return result;
}
template <class Byte, class Word>
inline Word dot(Word a, Word b, Word sum) {
    for (int shift = 0; shift < 32; shift += 8)
        sum = Word(unsigned(sum) + unsigned(int(Byte(unsigned(a) >> shift)) * int(Byte(unsigned(b) >> shift))));
    return sum;
}
inline unsigned dot_of_halves(unsigned a, unsigned bytes, unsigned sum) {
    return sum + (a & 0xFFFF) * (bytes & 0xFF) + (a >> 16) * (bytes >> 8 & 0xFF);
}

}  // namespace repro

inline unsigned __vminu4(unsigned a, unsigned b) { return repro::on_bytes([](int x, int y) { return x < y ? x : y; }, a, b); }
inline unsigned __vabsdiffu4(unsigned a, unsigned b) {
    return repro::on_bytes([](int x, int y) { return x < y ? y - x : x - y; }, a, b);
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) { return repro::dot<uint8_t>(a, b, sum); }
inline int __dp4a(int a, int b, int sum) { return repro::dot<int8_t>(a, b, sum); }
inline unsigned __vsadu4(unsigned a, unsigned b) { return __dp4a(__vabsdiffu4(a, b), 0x01010101u, 0u); }
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned sum) { return repro::dot_of_halves(a, b, sum); }
inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned sum) { return repro::dot_of_halves(a, b >> 16, sum); }
