// Quotients of numerators: one correctly rounded division each, 0 where the denominator is.
#include "rectangles.cuh"

__device__ __forceinline__ float nearest(float x) { return rintf(x); }
__device__ __forceinline__ double nearest(double x) { return rint(x); }

// As a number, or in a byte: round(255 x value).
__device__ __forceinline__ void store(float* value, float quotient) { *value = quotient; }
__device__ __forceinline__ void store(double* value, double quotient) { *value = quotient; }
__device__ __forceinline__ void store(unsigned char* value, Precision quotient) {
    Precision byte = nearest(quotient * Precision(255));
    *value = byte < Precision(255) ? (unsigned char)byte : 255;
}

__device__ __forceinline__ Precision divided(Precision numerator, Precision denominator) {
    return denominator > 0 ? numerator / denominator : Precision(0);
}

// numerators, values: rows x columns.
extern "C" __global__ void mgemm_quotients2(const Sum* numerators, Value* values, const Total* row_sums,
                                            const Total* column_sums, int row_start, int column_start, int rows,
                                            int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    for (int row = blockIdx.y; row < rows; row += gridDim.y) {
        long long at = (long long)row * columns + column;
        Precision denominator = Precision(row_sums[row_start + row]) + Precision(column_sums[column_start + column]);
        store(values + at, divided(Precision(2) * Precision(numerators[at]), denominator));
    }
}

// n3_prime, values: the rectangles of all pivots. n2_ij: rows x pivots, n2_ik: rows x columns, n2_jk:
// pivots x columns; or, where WHOLE is true, all three the same matrix of n2_pitch vectors that all are views of.
extern "C" __global__ void mgemm_quotients3(const Sum* n3_prime, Value* values, const Sum* n2_ij, const Sum* n2_ik,
                                            const Sum* n2_jk, const Total* row_sums, const Total* pivot_sums,
                                            const Total* column_sums, int row_start, int pivot_start, int column_start,
                                            int rows, int columns, int rows_before, int row_step, int columns_before,
                                            int column_step, int n2_pitch) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, pivot = blockIdx.z;
    Rectangle mine = rectangle(pivot, rows, columns, rows_before, row_step, columns_before, column_step);
    if (column < mine.first_column || column >= columns) return;
    for (int row = blockIdx.y; row < mine.rows; row += gridDim.y) {
        long long at = mine.offset + (long long)row * mine.columns + column - mine.first_column;
        int i = row, j = pivot, k = column, ij_pitch = gridDim.z, pitch = columns;
        if (WHOLE) i += row_start, j += pivot_start, k += column_start, ij_pitch = pitch = n2_pitch;
        Sum numerator = n2_ij[(long long)i * ij_pitch + j] + n2_ik[(long long)i * pitch + k] +
                        n2_jk[(long long)j * pitch + k] - n3_prime[at];
        Precision denominator = Precision(row_sums[row_start + row]) + Precision(pivot_sums[pivot_start + pivot]) +
                                Precision(column_sums[column_start + column]);
        // Rounding can make it less than 0.
        store(values + at, divided(Precision(1.5) * Precision(numerator > 0 ? numerator : Sum(0)), denominator));
    }
}
