// The whole numbers that go with scores of type T: of 64 bits where a T has as many.
#pragma once

template <int BYTES>
struct Number {
    using Type = int;
};
template <>
struct Number<8> {
    using Type = long long;
};
using Whole = Number<sizeof(T)>::Type;
