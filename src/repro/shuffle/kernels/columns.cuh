// Columns of an alignment, two bits each, from its end on, as the host reads them; and the matrices that a path is in.
#pragma once

constexpr int EQUAL = 0, UNEQUAL = 1, INSERTION = 2, DELETION = 3, PER_WORD = 16;
constexpr int H = 0, E = 1, F = 2;  // Eq. (1) to (5)
