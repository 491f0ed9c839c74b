// Optimal paths through problems of at most 64 rows, one thread each: vertical differences as in bit_parallel.cu, one
// word of +1 and one of -1 for each column, kept; then back from the end along cells whose values fit.
//
// A path's operations go to the places after row + column of its problem, an operation that ends at (i, j) to place
// i + j - 1; a place that no operation takes keeps 0.
#include "problems.cuh"

constexpr uint8_t EQUAL = 1, MISMATCH = 2, INSERTION = 3, DELETION = 4;  // as in path.py; insertion: a letter of P alone

// The value of cell (i, column) from the column's differences, the top row being 0, 1, 2, ..
__device__ __forceinline__ int value(unsigned long long plus, unsigned long long minus, int i, int column) {
    unsigned long long rows = i == 64 ? ~0ull : (1ull << i) - 1;
    return column + __popcll(plus & rows) - __popcll(minus & rows);
}

extern "C" __global__ void leaf_paths(const long long* places, int count, const uint8_t* P, const uint8_t* T,
                                      unsigned long long* plus_columns, unsigned long long* minus_columns,
                                      uint8_t* operations) {
    int leaf = blockIdx.x * blockDim.x + threadIdx.x;
    if (leaf >= count) return;
    const Place& place = reinterpret_cast<const Place*>(places)[leaf];
    P += place.row;
    T += place.column;
    plus_columns += place.column;
    minus_columns += place.column;
    operations += place.row + place.column;
    int m = int(place.rows), n = int(place.columns);

    unsigned long long plus = ~0ull, minus = 0;
    for (int j = 0; j < n; ++j) {
        unsigned long long equal = 0;
        for (int i = 0; i < m; ++i) equal |= (unsigned long long)(P[i] == T[j]) << i;
        unsigned long long diagonal = (((equal & plus) + plus) ^ plus) | equal | minus;
        unsigned long long up = (minus | ~(diagonal | plus)) << 1 | 1, down = (plus & diagonal) << 1;
        plus = down | ~(diagonal | up);
        minus = up & diagonal;
        plus_columns[j] = plus;
        minus_columns[j] = minus;
    }

    int i = m, j = n, here = value(plus, minus, m, n);
    while (i > 0 || j > 0) {
        unsigned long long left_plus = j > 1 ? plus_columns[j - 2] : ~0ull, left_minus = j > 1 ? minus_columns[j - 2] : 0;
        uint8_t operation;
        if (j == 0) operation = INSERTION;
        else if (i == 0) operation = DELETION;
        else if (P[i - 1] == T[j - 1]) operation = EQUAL;
        else if (value(left_plus, left_minus, i - 1, j - 1) + 1 == here) operation = MISMATCH;
        else if (value(left_plus, left_minus, i, j - 1) + 1 == here) operation = DELETION;
        else operation = INSERTION;
        operations[i + j - 1] = operation;
        here -= operation != EQUAL;
        i -= operation != DELETION;
        j -= operation != INSERTION;
    }
}

// The path of a problem of cost 0 is equal letters all the way; one block each.
extern "C" __global__ void equal_paths(const long long* places, uint8_t* operations) {
    const Place& place = reinterpret_cast<const Place*>(places)[blockIdx.x];
    operations += place.row + place.column;
    for (long long i = threadIdx.x; i < place.rows; i += blockDim.x) operations[2 * i + 1] = EQUAL;
}
