// One launch per round of DEPTH pivots: phase 3 of the round on every tile, and beside it phases 1 and 2 of the next.
//
// d: the matrix, `words` words per row and words * LANES rows, a multiple of ROWS and of COLUMNS words. A round reads its
// closed pivot columns (left: rows x DEPTH distances, rows of DEPTH / LANES words) and pivot rows (right: DEPTH rows of
// `words` words) and leaves those of the next round in next_left and next_right. No block waits for another of the same
// launch: what the panels of the next round need from this round, their blocks compute for themselves from d, whose
// rows and columns `next` to next + DEPTH therefore stay as they are in this launch. They lose nothing by it: the next
// round brings them to their closed panel, because a pivot reaches itself at distance 0.
//
// panel_blocks: the first blocks of the launch, which compute panels of the next round: as many for rows as for columns;
// 0 in the last launch. pivot: the first pivot of this round, negative in the first launch, which has panels alone.
//
// local memory: sm_75 sm_80 sm_120
#include "tiles.cuh"

using Square = Part<64, 64 / LANES>;

// Phase 1, the closure of the pivot tile: one pivot after the other, its row and column passed through shared memory.
__device__ void close(Square& tile, Word* row, Word* column, int* negative, int first, Place at) {
#pragma unroll
    for (int group = 0; group < Square::R; group += 4)
        for (int y = 0; y < TY; ++y)
#pragma unroll
            for (int q = 0; q < 4; ++q) {
                Word* row_now = row + q % 2 * Square::C * 16;
                Word* column_now = column + q % 2 * 64;
                if (at.y == y) store_group(tile, row_now + at.x * Square::G, group + q, 0);
                if (at.x == group / 4 * TY + y)
#pragma unroll
                    for (int r = 0; r < Square::R; ++r)
                        column_now[row_of(r, at)] = spread(tile.word[r][q / LANES], q % LANES);
                __syncthreads();
#pragma unroll
                for (int r = 0; r < Square::R; ++r)
#pragma unroll
                    for (int c = 0; c < Square::C; ++c)
                        tile.word[r][c] = relax(tile.word[r][c], column_now[row_of(r, at)], row_now[at.x * Square::G + c]);
            }
    // The last vertex of a negative cycle is some round's pivot, and by then the cycle is on the tile's diagonal.
#pragma unroll
    for (int r = 0; r < Square::R; ++r)
        if (at.x == r / 4 * TY + at.y && is_negative(spread(tile.word[r][r % 4 / LANES], r % LANES)))
            atomicMin(negative, first + row_of(r, at));
}

// Phases 1 and 2: the closed pivot tile, and from it 64 columns of the pivot rows or 64 rows of the pivot columns.
__device__ void panel(Word* shared, const Word* d, const Word* left, const Word* right, Word* next_left, Word* next_right,
                      int* negative, int words, int pivot, int next, int chunk, bool is_row) {
    constexpr int SIDE = DEPTH * 64;
    Word *pivot_left = shared, *pivot_right = shared + SIDE, *other = shared + 2 * SIDE;
    Word *column = shared + 3 * SIDE, *row = column + 2 * 64;
    Place at = place();
    Square tile, mine;
    load(tile, d + (long long)next * words + next / LANES, words, at);
    load(mine, is_row ? d + (long long)next * words + chunk * (64 / LANES)
                     : d + (long long)chunk * 64 * words + next / LANES, words, at);
    if (pivot >= 0) {
        fill_left<64>(pivot_left, left + (long long)next * (DEPTH / LANES), DEPTH / LANES);
        fill_right<64 / LANES>(pivot_right, right + next / LANES, words);
        if (is_row) fill_right<64 / LANES>(other, right + chunk * (64 / LANES), words);
        else fill_left<64>(other, left + (long long)chunk * 64 * (DEPTH / LANES), DEPTH / LANES);
        __syncthreads();
        relax_all(tile, pivot_left, pivot_right, at);
        relax_all(mine, is_row ? pivot_left : other, is_row ? other : pivot_right, at);
    }
    close(tile, row, column, negative, next, at);  // its barriers end the reading of the operands
    if (is_row) {
        store_left(tile, pivot_left, at);
        store_right(mine, other, at);
    } else {
        store_left(mine, other, at);
        store_right(tile, pivot_right, at);
    }
    __syncthreads();
    relax_all(mine, is_row ? pivot_left : other, is_row ? other : pivot_right, at);
    if (is_row) store(mine, next_right + chunk * (64 / LANES), words, at);
    else store(mine, next_left + (long long)chunk * 64 * (DEPTH / LANES), DEPTH / LANES, at);
}

// Phase 3: one tile of the matrix.
__device__ void remaining(Word* shared, Word* d, const Word* left, const Word* right, int words, int next, int tile) {
    int tiles_x = words / COLUMNS;
    long long first_row = (long long)(tile / tiles_x) * ROWS;
    int first_word = tile % tiles_x * COLUMNS;
    Place at = place();
    Part<ROWS, COLUMNS> mine;
    Word *left_shared = shared, *right_shared = shared + DEPTH * ROWS;
    load(mine, d + first_row * words + first_word, words, at);
    fill_left<ROWS>(left_shared, left + first_row * (DEPTH / LANES), DEPTH / LANES);
    fill_right<COLUMNS>(right_shared, right + first_word, words);
    __syncthreads();
    relax_all(mine, left_shared, right_shared, at);
#pragma unroll
    for (int r = 0; r < ROWS / TY; ++r) {
        long long row = first_row + row_of(r, at);
        if (row >= next && row < next + DEPTH) continue;
#pragma unroll
        for (int c = 0; c < COLUMNS / 16; c += Part<ROWS, COLUMNS>::G) {
            int word = first_word + column_of<Part<ROWS, COLUMNS>::G>(c, at);
            if (word < next / LANES || word >= (next + DEPTH) / LANES) store_group(mine, d + row * words + word, r, c);
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
apsp_round(Word* d, const Word* left, const Word* right, Word* next_left, Word* next_right, int* negative, int words,
           int pivot, int next, int panel_blocks) {
    extern __shared__ __align__(16) Word shared[];
    if (__syncthreads_or(*negative != NONE)) return;  // a panel block of this launch may just be writing it
    int block = blockIdx.x;
    if (block < panel_blocks)
        panel(shared, d, left, right, next_left, next_right, negative, words, pivot, next, block / 2, block % 2 == 0);
    else remaining(shared, d, left, right, words, next, block - panel_blocks);
}
