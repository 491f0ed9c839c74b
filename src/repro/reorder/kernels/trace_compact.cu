// The way back through the predecessors of compact.cu: a block brings windows of their words into shared memory, where
// one thread follows them. Of a window, only a triangle can be reached: one row of words up is at most one column left.
constexpr int TILE = 4;
constexpr int WINDOW = 64;  // rows of words

// A move up takes a letter of a, which belongs to the columns where a and b were exchanged.
// moves: 0 diagonal, 1 up, 2 left, written from m + n downwards. end: row and column of the border where the way back
// ended, and the first written place.
extern "C" __global__ void reorder_trace_compact(const unsigned* predecessors, uint8_t* moves, int* end, int m, int n,
                                                 int pitch) {
    __shared__ unsigned window[WINDOW][WINDOW];
    __shared__ int position[3];
    if (threadIdx.x == 0) {
        position[0] = m - 1;
        position[1] = n - 1;
        position[2] = m + n;
    }
    __syncthreads();
    while (position[0] >= 0 && position[1] >= 0) {
        int i = position[0], j = position[1], place = position[2];
        int bottom = i / TILE + j / TILE, right = j / TILE;
        for (int k = threadIdx.x; k < WINDOW * WINDOW; k += blockDim.x) {
            int up = k / WINDOW, left = k % WINDOW;
            bool inside = left <= up && left <= right && up - left <= bottom - right;
            if (inside) window[up][left] = predecessors[size_t(bottom - up) * pitch + right - left];
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            while (i >= 0 && j >= 0 && bottom - (i / TILE + j / TILE) < WINDOW) {
                unsigned word = window[bottom - (i / TILE + j / TILE)][right - j / TILE];
                int row = i % TILE, column = j % TILE;
                while (row >= 0 && column >= 0) {
                    // The two bits of the first element are on top.
                    unsigned bits = word >> 2 * (TILE * TILE - 1 - (TILE * row + column));
                    int move = bits & 1 ? 2 : bits >> 1 & 1;
                    moves[--place] = move;
                    row -= move != (EXCHANGED ? 1 : 2);
                    column -= move != (EXCHANGED ? 2 : 1);
                }
                i += row - i % TILE;
                j += column - j % TILE;
            }
            position[0] = i;
            position[1] = j;
            position[2] = place;
        }
        __syncthreads();
    }
    if (threadIdx.x < 3) end[threadIdx.x] = position[threadIdx.x];
}
