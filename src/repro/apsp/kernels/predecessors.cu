// The phases of a round of DEPTH pivots with predecessors, on tiles of 64 x 64 distances.
//
// p[i][j] is the vertex before j on the path from i to j. A path from i through k to j ends as that from k to j does, so
// a product takes its predecessor from row k of the right operand. Of equal sums the smallest k counts, and a distance
// that is not improved keeps its predecessor. All matrices are row-major with a pitch in words.
//
// local memory: sm_75 sm_80 sm_90 sm_100 sm_120
#include "tiles.cuh"

constexpr int SLAB = 4;  // pivots that are compared before one of them is remembered

using Square = Part<64, 64>;

template <class W>
__device__ __forceinline__ W least(const W (&a)[SLAB], const W (&b)[SLAB]) {
    W least = a[0] + b[0];
#pragma unroll
    for (int s = 1; s < SLAB; ++s) least = relax(least, a[s], b[s]);
    return least;
}
__device__ __forceinline__ float least(const float (&a)[SLAB], const float (&b)[SLAB]) {
    if (!NONNEGATIVE) return relax(relax2(a[0] + b[0], a[1], b[1], a[2], b[2]), a[3], b[3]);
    int three = __vimin3_s32(__float_as_int(a[0] + b[0]), __float_as_int(a[1] + b[1]), __float_as_int(a[2] + b[2]));
    return __int_as_float(min(three, __float_as_int(a[3] + b[3])));
}

template <class W>
__device__ __forceinline__ void keep(W& c, W candidate, int& best, int slab) {
    if (candidate < c) {
        c = candidate;
        best = slab;
    }
}
__device__ __forceinline__ void keep(float& c, float candidate, int& best, int slab) {
    bool kept = c <= candidate;
    if (NONNEGATIVE) c = __int_as_float(__vibmin_s32(__float_as_int(c), __float_as_int(candidate), &kept));
    else c = fminf(c, candidate);
    best = kept ? best : slab;
}

// tile = min(tile, left * right), and in `best` the first k of the slab that improved a distance last, or NONE.
__device__ void search(Square& tile, int (&best)[Square::R][Square::C], const Word* left, const Word* right, Place at) {
    left = own_left(left, at);
    right = own_right(right, at);
#pragma unroll
    for (int r = 0; r < Square::R; ++r)
#pragma unroll
        for (int c = 0; c < Square::C; ++c) best[r][c] = NONE;
#pragma unroll 1
    for (int k = 0; k < DEPTH; k += SLAB) {
        Operands<Square, SLAB> of;
        load(of, left, right, k);
#pragma unroll
        for (int r = 0; r < Square::R; ++r)
#pragma unroll
            for (int c = 0; c < Square::C; ++c) {
                Word from[SLAB], to[SLAB];
#pragma unroll
                for (int s = 0; s < SLAB; ++s) {
                    from[s] = of.a[s][r];
                    to[s] = of.b[s][c];
                }
                keep(tile.word[r][c], least(from, to), best[r][c], k);
            }
    }
}

// d = min(init, left * right) on a tile, and the predecessors p of what was improved. The tile may lie where an operand
// of the same block lies.
__device__ void improve(Word* d, int* p, const Word* init, const Word* left, const Word* right, const int* right_p,
                        int pitch, int left_pitch, int right_pitch, int depth) {
    extern __shared__ __align__(16) Word shared[];
    Word *left_shared = shared, *right_shared = shared + DEPTH * 64;
    Place at = place();
    Square mine;
    int best[Square::R][Square::C];
    unsigned changed = init == d ? 0 : ~0u;  // rows that have to be written
    load(mine, init, pitch, at);
    for (int first = 0; first < depth; first += DEPTH) {
        __syncthreads();
        fill_left<64>(left_shared, left + first, left_pitch);
        fill_right<64>(right_shared, right + (long long)first * right_pitch, right_pitch);
        __syncthreads();
        search(mine, best, left_shared, right_shared, at);
#pragma unroll
        for (int r = 0; r < Square::R; ++r)
#pragma unroll
            for (int c = 0; c < Square::C; ++c) {
                if (best[r][c] == NONE) continue;
                changed |= 1u << r;
                const Word* a = left_shared + left_index(best[r][c], row_of(r, at), 64);
                const Word* b = right_shared + right_index<4>(best[r][c], at.x * 4 + c, 64);
                int step = SLAB - 1;
#pragma unroll
                for (int s = SLAB - 2; s >= 0; --s)
                    if (a[s * 64] + b[s * 64] == mine.word[r][c]) step = s;
                best[r][c] = right_p[(long long)(first + best[r][c] + step) * right_pitch + at.x * 4 + c];
            }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < Square::R; ++r)
#pragma unroll
            for (int c = 0; c < Square::C; ++c)
                if (best[r][c] != NONE) p[(long long)row_of(r, at) * pitch + at.x * 4 + c] = best[r][c];
    }
#pragma unroll
    for (int r = 0; r < Square::R; ++r)
        if (changed >> r & 1) store_group(mine, d + (long long)row_of(r, at) * pitch + at.x * 4, r, 0);
}

// Phase 1: the closure of the pivot tile.
extern "C" __global__ void __launch_bounds__(THREADS) apsp_close(Word* d, int* p, int* negative, int n, int pivot) {
    __shared__ Word row[2][64], column[2][64];
    __shared__ int row_p[2][64];
    if (*negative != NONE) return;
    d += (long long)pivot * n + pivot;
    p += (long long)pivot * n + pivot;
    Place at = place();
    Square tile;
    load(tile, d, n, at);
    int best[Square::R][Square::C];
#pragma unroll
    for (int r = 0; r < Square::R; ++r)
#pragma unroll
        for (int c = 0; c < Square::C; ++c) best[r][c] = p[(long long)row_of(r, at) * n + at.x * 4 + c];
#pragma unroll
    for (int group = 0; group < Square::R; group += 4)
        for (int y = 0; y < TY; ++y)
#pragma unroll
            for (int q = 0; q < 4; ++q) {
                if (at.y == y)
#pragma unroll
                    for (int c = 0; c < Square::C; ++c) {
                        row[q % 2][at.x * 4 + c] = tile.word[group + q][c];
                        row_p[q % 2][at.x * 4 + c] = best[group + q][c];
                    }
                if (at.x == group / 4 * TY + y)
#pragma unroll
                    for (int r = 0; r < Square::R; ++r) column[q % 2][row_of(r, at)] = tile.word[r][q];
                __syncthreads();
#pragma unroll
                for (int r = 0; r < Square::R; ++r)
#pragma unroll
                    for (int c = 0; c < Square::C; ++c)
                        keep(tile.word[r][c], column[q % 2][row_of(r, at)] + row[q % 2][at.x * 4 + c], best[r][c],
                             row_p[q % 2][at.x * 4 + c]);
            }
    store(tile, d, n, at);
#pragma unroll
    for (int r = 0; r < Square::R; ++r)
#pragma unroll
        for (int c = 0; c < Square::C; ++c) p[(long long)row_of(r, at) * n + at.x * 4 + c] = best[r][c];
    // The last vertex of a negative cycle is some round's pivot, and by then the cycle is on the tile's diagonal.
#pragma unroll
    for (int r = 0; r < Square::R; ++r)
        if (at.x == r / 4 * TY + at.y && tile.word[r][r % 4] < 0) atomicMin(negative, pivot + row_of(r, at));
}

// Phase 2: pivot rows (blockIdx.y is 0) and pivot columns, from themselves and the closed pivot tile.
extern "C" __global__ void __launch_bounds__(THREADS)
apsp_panels(Word* d, int* p, const int* negative, int n, int pivot) {
    if (*negative != NONE) return;
    int other = (blockIdx.x + (blockIdx.x >= pivot / 64)) * 64;
    long long tile = blockIdx.y == 0 ? (long long)pivot * n + other : (long long)other * n + pivot;
    long long primary = (long long)pivot * n + pivot, left = blockIdx.y == 0 ? primary : tile;
    long long right = blockIdx.y == 0 ? tile : primary;
    improve(d + tile, p + tile, d + tile, d + left, d + right, p + right, n, n, n, DEPTH);
}

// Phase 3: every other tile, from its pivot row and pivot column.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
apsp_remaining(Word* d, int* p, const int* negative, int n, int pivot) {
    if (*negative != NONE) return;
    int row = (blockIdx.y + (blockIdx.y >= pivot / 64)) * 64, column = (blockIdx.x + (blockIdx.x >= pivot / 64)) * 64;
    long long tile = (long long)row * n + column, left = (long long)row * n + pivot;
    long long right = (long long)pivot * n + column;
    improve(d + tile, p + tile, d + tile, d + left, d + right, p + right, n, n, n, DEPTH);
}

// A product of matrices of their own: d = min(init, left * right), d of 64 gridDim.y x 64 gridDim.x, with the
// predecessors of each. `init` may be d itself, else what is not improved is copied.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
apsp_product(Word* d, int* p, const Word* init, const int* init_p, const Word* left, const Word* right,
             const int* right_p, int pitch, int left_pitch, int right_pitch, int depth) {
    int row = blockIdx.y * 64, column = blockIdx.x * 64;
    long long tile = (long long)row * pitch + column;
    if (init != d) {
        Place at = place();
#pragma unroll
        for (int e = 0; e < 4 * Square::R; ++e) {
            long long where = tile + (long long)row_of(e / 4, at) * pitch + at.x * 4 + e % 4;
            p[where] = init_p[where];
        }
    }
    improve(d + tile, p + tile, init + tile, left + (long long)row * left_pitch, right + column, right_p + column, pitch,
            left_pitch, right_pitch, depth);
}
