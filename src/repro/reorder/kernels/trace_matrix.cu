// The way back through a matrix of scores by one thread: row by row, or renumbered.
//
// moves: 0 diagonal, 1 up, 2 left, written from m + n downwards; diagonal wins a tie, then up. A way back ends at a
// border, from where only one direction is left. end: row and column where it ended, and the first written place.
__device__ int score_at(const int* F, int n, int gap, int i, int j) {
    if (i < 0 || j < 0) return -(i + j + 2) * gap;
    return F[size_t(RENUMBERED ? i + j : i) * n + j];
}

extern "C" __global__ void reorder_trace_matrix(const uint8_t* a, const uint8_t* b, const int* F, uint8_t* moves,
                                                int* end, int m, int n, int match, int mismatch, int gap) {
    int i = m - 1, j = n - 1, place = m + n, score = score_at(F, n, gap, i, j);
    while (i >= 0 && j >= 0) {
        int corner = score_at(F, n, gap, i - 1, j - 1), up = score_at(F, n, gap, i - 1, j);
        if (score == corner + (a[i] == b[j] ? match : mismatch)) {
            moves[--place] = 0;
            score = corner;
            --i;
            --j;
        } else if (score == up - gap) {
            moves[--place] = 1;
            score = up;
            --i;
        } else {
            moves[--place] = 2;
            score += gap;
            --j;
        }
    }
    end[0] = i;
    end[1] = j;
    end[2] = place;
}
