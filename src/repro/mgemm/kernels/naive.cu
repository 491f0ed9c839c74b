// One thread per result, everything from global memory: sums of the minima of two vectors' fields.
//
// left: the rows of pivot z begin at vector left_start + z * left_stride. right: columns from right_start on.
#include "rectangles.cuh"
#include "words.cuh"

extern "C" __global__ void mgemm_naive(const Word* left, const Word* right, Sum* result, long long left_pitch,
                                       long long right_pitch, int left_start, int left_stride, int right_start,
                                       int words, int rows, int columns, int rows_before, int row_step,
                                       int columns_before, int column_step, int diagonal) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    Rectangle mine = rectangle(blockIdx.z, rows, columns, rows_before, row_step, columns_before, column_step);
    if (row >= mine.rows || column < mine.first_column || column >= columns || column + diagonal <= row) return;
    Sum sum = 0;
    for (int k = 0; k < words; ++k)
        sum += sum_of(minimum(left[place(k, left_start + blockIdx.z * left_stride + row, left_pitch)],
                              right[place(k, right_start + column, right_pitch)]));
    result[mine.offset + (long long)row * mine.columns + column - mine.first_column] = sum;
}
