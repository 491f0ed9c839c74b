// Global alignment score with linear gaps: one warp per pair, COLUMNS columns of the subject per thread, the rightmost
// cell of a thread handed to the next one by a shuffle. The pattern whose speed on the emulator has a floor.
extern "C" __global__ void align(const uint8_t* queries, const uint8_t* subjects, int* scores, int pairs, int length) {
    int pair = (blockIdx.x * blockDim.x + threadIdx.x) / WARP_SIZE, lane = threadIdx.x % WARP_SIZE;
    if (pair >= pairs) return;
    const uint8_t* query = queries + (long long)pair * length;
    const uint8_t* subject = subjects + (long long)pair * length;
    int letters[COLUMNS], row[COLUMNS];
    for (int c = 0; c < COLUMNS; ++c) {
        int column = lane * COLUMNS + c;
        letters[c] = column < length ? subject[column] : 0;
        row[c] = -(column + 1);
    }
    int diagonal = -lane * COLUMNS;  // the cell left above the thread's first one
    for (int step = 0; step < length + WARP_SIZE - 1; ++step) {
        int i = step - lane;
        int left = __shfl_up_sync(FULL_MASK, row[COLUMNS - 1], 1);
        if (lane == 0) left = -(i + 1);
        if (i < 0 || i >= length) continue;
        int letter = query[i], above_left = diagonal;
        diagonal = left;
        for (int c = 0; c < COLUMNS; ++c) {
            int above = row[c];
            left = max(max(left, above) - 1, above_left + (letter == letters[c] ? MATCH : MISMATCH));
            above_left = above;
            row[c] = left;
        }
    }
    for (int c = 0; c < COLUMNS; ++c)
        if (lane * COLUMNS + c == length - 1) scores[pair] = row[c];
}

extern "C" __global__ void no_barrier(int* output, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) output[i] = i;
}
