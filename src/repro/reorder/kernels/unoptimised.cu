// "Implementation of the algorithms", first part: the matrix row by row, one thread per column of a block's square.
//
// F is the m x n matrix of scores without its borders, which need no memory: F(i, -1) = -(i + 1) d and F(-1, j) =
// -(j + 1) d. A launch computes the squares of one block anti-diagonal; square `first_square + blockIdx.x` counts along
// the columns. The threads of a block move down their columns one row apart, so the words that a warp writes at a time
// lie n - 1 words apart.
__device__ int score_at(const int* F, int n, int gap, int i, int j) {
    return i < 0 || j < 0 ? -(i + j + 2) * gap : F[size_t(i) * n + j];
}

extern "C" __global__ void reorder_unoptimised(const uint8_t* a, const uint8_t* b, int* F, int m, int n, int diagonal,
                                               int first_square, int match, int mismatch, int gap) {
    int size = blockDim.x, t = threadIdx.x;
    extern __shared__ int shared[];
    int* left_of_square = shared;      // the column to the left of the square
    int* passed = shared + size;       // what each thread passes to the next: two steps of `size` values
    int* letters = shared + 3 * size;  // of a, for the square's rows
    int square = first_square + blockIdx.x;
    int row = (diagonal - square) * size, first_column = square * size, column = first_column + t;
    int rows = min(size, m - row), columns = min(size, n - first_column);

    if (t < rows) {
        left_of_square[t] = score_at(F, n, gap, row + t, first_column - 1);
        letters[t] = a[row + t];
    }
    int up = 0, corner = 0, letter = 0;
    if (t < columns) {
        up = score_at(F, n, gap, row - 1, column);
        corner = score_at(F, n, gap, row - 1, column - 1);
        letter = b[column];
    }
    __syncthreads();

    for (int step = 0; step < rows + columns - 1; ++step) {
        int i = step - t;
        if (i >= 0 && i < rows && t < columns) {
            int left = shared[t == 0 ? i : (1 + (step & 1)) * size + t - 1];  // of the square, or passed
            int aligned = corner + (letters[i] == letter ? match : mismatch);
            up = max(aligned, max(up, left) - gap);
            corner = left;
            F[size_t(row + i) * n + column] = up;
            passed[((step + 1) & 1) * size + t] = up;
        }
        __syncthreads();
    }
}
