// Sections 4.2.2 and 4.2.3: the pyramid cut into diamonds of side TILE.
//
// A tile is named by its centre diagonal and its first column. Its column s = 0 .. 2 TILE - 1 has the diagonals at most
// reach(s) away from the centre: 1, 3, .. 2 TILE - 1, 2 TILE - 1, .. 3, 1 cells, 2 TILE^2 in all. Tiles whose first
// columns are equal form a band; the next band starts TILE columns later, its centres shifted by TILE diagonals. What
// a band hands on is the zig-zag of the last two columns of each diagonal, `last` and `before`: for the diagonal a away
// from the centre of a tile of the next band, its columns s = a - 1 and s = a - 2.
#include "wavefront.cuh"

__device__ __forceinline__ int reach(int s) { return min(s, 2 * TILE - 1 - s); }

// The number of a cell among the 2 TILE^2 of its tile, column by column; the second half mirrors the first.
__device__ __forceinline__ int cell_number(int s, int offset) {
    int mirrored = 2 * TILE - 1 - s;
    return s < TILE ? s * s + s + offset : 2 * TILE * TILE - 1 - (mirrored * mirrored + mirrored - offset);
}

__device__ __forceinline__ void note_solution(int* distance, int m, int n, int r, int radius) {
    if (radius >= min(m, n)) atomicMin(distance, r);
}

// One thread computes a whole tile; store(number) is where it keeps a cell. UNROLLED: both loops have constant lengths,
// so that the number of a cell is a constant, too.
template <bool UNROLLED, class Store>
__device__ void compute_tile(const uint8_t* P, const uint8_t* T, int* last, int* before, int* distance, int m, int n,
                             int centre, int first_column, Store store) {
#pragma unroll (UNROLLED ? 2 * TILE : 1)
    for (int s = 0; s < 2 * TILE; ++s) {
        int r = first_column + s, furthest = reach(s);
        // What the tile takes from its neighbours for this column, all of it at once: so no load waits for another.
        auto handed_on = [&](const int* column, int offset, bool wanted) {
            int k = centre + offset;
            return wanted && k >= -m && k <= n ? column[k + m] : UNREACHED;
        };
        int last_below = handed_on(last, -s, s <= TILE), last_above = handed_on(last, s, s <= TILE);
        int before_below = handed_on(before, -s - 1, s < TILE), before_above = handed_on(before, s + 1, s < TILE);
#pragma unroll (UNROLLED ? 2 * TILE : 1)
        for (int offset = UNROLLED ? 1 - TILE : -furthest; offset <= (UNROLLED ? TILE - 1 : furthest); ++offset) {
            if (UNROLLED && (offset < -furthest || offset > furthest)) continue;
            int k = centre + offset;
            if (k < -m || k > n) {
                store(cell_number(s, offset)) = UNREACHED;
                continue;
            }
            auto dependency = [&](int other) {
                int away = other < 0 ? -other : other;
                if (s > 0 && away <= reach(s - 1)) return int(store(cell_number(s - 1, other)));
                if (away == s) return other < 0 ? last_below : last_above;
                return other < 0 ? before_below : before_above;
            };
            int radius = r == 0 ? 0 : step(k, dependency(offset + 1), dependency(offset), dependency(offset - 1));
            radius = extend(P, T, m, n, k, radius);
            store(cell_number(s, offset)) = radius;
            if (k == n - m) note_solution(distance, m, n, r, radius);
        }
    }
#pragma unroll (UNROLLED ? 2 * TILE : 1)
    for (int offset = 1 - TILE; offset < TILE; ++offset) {
        int k = centre + offset, away = offset < 0 ? -offset : offset;
        if (k < -m || k > n) continue;
        last[k + m] = store(cell_number(2 * TILE - 1 - away, offset));
        before[k + m] = store(cell_number(2 * TILE - 2 - away, offset));
    }
}
