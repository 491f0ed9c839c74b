// "Implementation of the algorithms", second part: the renumbered matrix, so that a warp writes consecutive words.
//
// Element (i, j) of the m x n matrix of scores stands in row i + j, column j of F, which has m + n - 1 rows of n words.
// Of (row, column), the neighbours are: diagonal (row - 2, column - 1), up (row - 1, column), left (row - 1, column
// - 1). The squares of a launch lie on one block anti-diagonal of the renumbered matrix. All threads of a block are in
// the same row, which is the iteration of the loop.
__device__ int score_at(const int* F, int m, int n, int gap, int row, int column) {
    int i = row - column;
    if (i < 0 || column < 0) return -(row + 2) * gap;  // the border: i + column = row
    return i < m ? F[size_t(row) * n + column] : 0;    // below the matrix, and never used
}

extern "C" __global__ void reorder_optimised(const uint8_t* a, const uint8_t* b, int* F, int m, int n, int diagonal,
                                             int first_square, int match, int mismatch, int gap) {
    int size = blockDim.x, t = threadIdx.x;
    extern __shared__ int shared[];
    int* left_of_square = shared;      // of the column to the left: what lies one row above each row of the square
    int* passed = shared + size;       // what each thread passes to the next: two steps of `size` values
    int* letters = shared + 3 * size;  // of a: row r of the square and thread t meet in letter r - t + size - 1
    int square = first_square + blockIdx.x;
    int first_row = (diagonal - square) * size, first_column = square * size, column = first_column + t;
    int rows = min(size, m + n - 1 - first_row);

    int first_letter = first_row - first_column - (size - 1);
    for (int k = t; k < 2 * size - 1; k += size)
        if (first_letter + k >= 0 && first_letter + k < m) letters[k] = a[first_letter + k];
    left_of_square[t] = score_at(F, m, n, gap, first_row + t - 1, first_column - 1);
    int up = 0, corner = 0, letter = 0;
    if (column < n) {
        up = score_at(F, m, n, gap, first_row - 1, column);
        corner = score_at(F, m, n, gap, first_row - 2, column - 1);
        letter = b[column];
    }
    passed[t] = up;
    __syncthreads();

    for (int step = 0; step < rows; ++step) {
        int row = first_row + step, i = row - column;
        if (i >= 0 && i < m && column < n) {
            int left = shared[t == 0 ? step : (1 + (step & 1)) * size + t - 1];  // of the square, or passed
            if (i == 0) {
                up = -(column + 1) * gap;
                corner = -column * gap;
            }
            int aligned = corner + (letters[step - t + size - 1] == letter ? match : mismatch);
            up = max(aligned, max(up, left) - gap);
            corner = left;
            F[size_t(row) * n + column] = up;
            passed[((step + 1) & 1) * size + t] = up;
        }
        __syncthreads();
    }
}
