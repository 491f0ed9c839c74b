// What a generic lambda takes in place of a template's argument.
#pragma once

template <bool VALUE>
struct Truth {
    static constexpr bool value = VALUE;
};
