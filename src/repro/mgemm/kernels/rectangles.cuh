// Which results a launch computes: a rectangle of rows x columns for each pivot, one after another without gaps.
//
// Where i < j < k is asked for, pivot z has the rows before it and the columns behind it only.
#pragma once

struct Rectangle {
    int rows, first_column, columns;  // columns: from first_column on
    long long offset;
};

__device__ __forceinline__ int within(int value, int limit) { return value < 0 ? 0 : value < limit ? value : limit; }

// rows_before, columns_before: how many rows lie before pivot 0, and how many columns not behind it; each grows by
// its step, 0 or 1, from pivot to pivot.
__device__ __forceinline__ Rectangle rectangle(int pivot, int rows, int columns, int rows_before, int row_step,
                                               int columns_before, int column_step) {
    Rectangle found = {};
    for (int z = 0; z <= pivot; ++z) {
        found.offset += (long long)found.rows * found.columns;
        found.rows = within(rows_before + z * row_step, rows);
        found.first_column = within(columns_before + z * column_step, columns);
        found.columns = columns - found.first_column;
    }
    return found;
}
