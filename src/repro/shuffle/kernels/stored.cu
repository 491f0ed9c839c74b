// The score pass of `auto`'s traceback for sequences that are not long: as packed.cu, LANES threads per two alignments,
// three-way maxima, and what stored.cuh says is stored.
//
// Values but local ones have the price of extending gaps folded in, as in packed.cu; a bias keeps all from being
// negative, so that a sum of words is that of their halves.
#include "tagged_cells.cuh"
#include "tagged_ends.cuh"

constexpr int STAGED_WORDS = CELL_WORDS + 4;  // of a thread: so far apart, its neighbours' lie in other banks

template <int WORDS>
struct alignas(4 * WORDS) Words {
    unsigned word[WORDS];
};

// Unit `first` and `units - 1` further ones, GROUPS a warp, of all queries in query_list with all subjects in subject_list,
// or of one query with one subject each. words: `blocks` blocks of stored.cuh for each warp. ends: of each alignment of
// these units; a unit's second one may stand for the last of an odd number of subjects.
extern "C" __global__ void __launch_bounds__(WARP_SIZE)
shuffle_stored(const uint8_t* queries, const long long* query_offsets, const uint8_t* subjects,
               const long long* subject_offsets, const int* query_list, const int* subject_list, const int* table,
               unsigned* words, int* ends, int first, int units, int subject_units, int blocks) {
    extern __shared__ __align__(16) unsigned shared[];
    __shared__ __align__(16) unsigned staged[WARP_SIZE * STAGED_WORDS];
    __shared__ int gains_of[CODES * TABLE_ROW];
    Quad<unsigned>* profile = reinterpret_cast<Quad<unsigned>*>(shared) + threadIdx.x;
    int lane = threadIdx.x % LANES, index = blockIdx.x * GROUPS + threadIdx.x / LANES;
    for (int i = threadIdx.x; i < CODES * TABLE_ROW; i += WARP_SIZE)
        gains_of[i] = gain(table, i / TABLE_ROW, min(i % TABLE_ROW, PAD));
    __syncwarp();
    Sequence query[2], subject[2];
    int rows = 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        Position at = position_of(first + min(index, units - 1), half, subject_units);
        query[half] = sequence(queries, query_offsets, query_list[at.query]);
        subject[half] = sequence(subjects, subject_offsets, subject_list[at.subject]);
        subject[half].pads = LANES * COLUMNS - subject[half].length;
        rows = max(rows, query[half].length);
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) query[half].pads = ALL ? 0 : rows - query[half].length;
    int first_column = lane * COLUMNS;
    fill_profile(profile, gains_of, subject, first_column);
    // Of what a thread keeps when a block begins: one whose first row comes later counts no steps until then.
    auto stamp_before = [&](int step) { return FIRST_STAMP - STAMP * max(0, min(lane - step, BLOCK - 1)); };
    unsigned h[COLUMNS], e[COLUMNS], f = NO_GAP, corner = border_after(subject, first_column) | stamp_before(0);
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
        h[c] = border_after(subject, first_column + c + 1) | stamp_before(0);
        e[c] = AFFINE ? NO_GAP + both(ABOVE) : FLOOR | stamp_before(0);
    }
    int next[2] = {code_at(query[0], -lane), code_at(query[1], -lane)};
    // LOCAL: the best of this thread's cells, with the column, and its row. SEMI_GLOBAL: of its last column.
    unsigned best = MODE == LOCAL ? FLOOR | both(SCALE - 1)
                                  : packed((BIAS + FURTHER * subject[0].length) * SCALE, (BIAS + FURTHER * subject[1].length) * SCALE);
    int best_row[2] = {0, 0};
    unsigned of_block = 0;
    int steps = rows + LANES - 1;
    for (int lanes = WARP_SIZE / 2; lanes >= LANES; lanes /= 2)
        steps = max(steps, __shfl_xor_sync(FULL_MASK, steps, lanes));
    unsigned* stored = words + (long long)blockIdx.x * blocks * BLOCK_WORDS;

    for (int block = 0; block * BLOCK < steps; ++block, stored += BLOCK_WORDS) {
        // At first and in the end some threads are outside the rows; while none is, nothing needs to be guarded.
        auto four_steps = [&](int begin, bool guarded) {
            Quad<unsigned> f_tags = {};
            unsigned cells[TOGETHER] = {};
            const uint8_t* codes[2];  // of the rows after these
#pragma unroll
            for (int half = 0; half < 2; ++half)
                codes[half] = query[half].codes + (block * BLOCK + begin - lane + 1 - query[half].pads);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                int step = begin + i, row = block * BLOCK + step - lane, code[2];
                unsigned stamp = FIRST_STAMP - STAMP * (step + 1), from_left = NO_GAP;
                unsigned left = __shfl_up_sync(FULL_MASK, h[COLUMNS - 1], 1, LANES) - STAMP;
                if (AFFINE) from_left = __shfl_up_sync(FULL_MASK, f, 1, LANES);
                if (lane == 0) {
                    left = border_after(query, row + 1) | stamp;
                    from_left = NO_GAP;
                }
                code[0] = next[0], code[1] = next[1];
                next[0] = unsigned(row + 1 - query[0].pads) < unsigned(query[0].length) ? __ldg(codes[0] + i) : PAD;
                if (!ALL) next[1] = unsigned(row + 1 - query[1].pads) < unsigned(query[1].length) ? __ldg(codes[1] + i) : PAD;
                if (!guarded || unsigned(row) < unsigned(rows)) {
                    unsigned gains[GAINS], diagonal = corner, of_row = 0;
                    look_up(profile, code, gains);
                    f = from_left;
                    corner = left;
                    compute_row(gains, both(-NEW_GAP * SCALE + ABOVE + 1) + both(1) * step, stamp, diagonal, h, e, f, left,
                                cells + i * ROW_WORDS % TOGETHER, f_tags.entry[i], of_row);
                    if (MODE == SEMI_GLOBAL) {
                        // The last column, tagged by the step, the first one's tag the largest.
                        unsigned passed = ALL ? both(FURTHER * SCALE) * (row + 1)
                                              : packed(FURTHER * SCALE * max(0, row + 1 - query[0].pads),
                                                       FURTHER * SCALE * max(0, row + 1 - query[1].pads));
                        of_block = larger(of_block, left - passed + (AFFINE ? both(BLOCK - 1 - step) : 0));
                    }
                    if (MODE == LOCAL) {
                        bool kept[2];
                        __vibmax_u16x2(best | both(SCALE - 1), of_row, kept + 1, kept);
                        if (!kept[0]) best = __byte_perm(best, of_row, 0x3254), best_row[0] = row + 1 - query[0].pads;
                        if (!kept[1]) best = __byte_perm(best, of_row, 0x7610), best_row[1] = row + 1 - query[1].pads;
                    }
                }
                if ((i + 1) * ROW_WORDS % TOGETHER == 0) {
                    unsigned* to = staged + threadIdx.x * STAGED_WORDS + step * ROW_WORDS / TOGETHER * TOGETHER / 2;
#pragma unroll
                    for (int half = 0; half < 2; ++half) {
                        Quad<unsigned> found;
#pragma unroll
                        for (int k = 0; k < 4; ++k)
                            found.entry[k] = __byte_perm(cells[2 * k], cells[2 * k + 1], half ? OF_HIGH : OF_LOW);
                        *reinterpret_cast<Quad<unsigned>*>(to + half * (CELL_WORDS / 2)) = found;
                    }
                }
            }
            if (AFFINE) reinterpret_cast<Quad<unsigned>*>(stored + F_PLACE)[begin / 4 * WARP_SIZE + threadIdx.x] = f_tags;
        };
        of_block = 0;
        for (int begin = 0; begin < BLOCK; begin += 4) {
            int before = block * BLOCK + begin;
            if (before >= steps) break;
            if (__all_sync(FULL_MASK, before >= LANES - 1 && before + 4 <= rows)) four_steps(begin, false);
            else four_steps(begin, true);
        }
        if (MODE == SEMI_GLOBAL) {
#pragma unroll
            for (int half = 0; half < 2; ++half)
                if (half_of(of_block, half) > half_of(best | both(SCALE - 1), half)) {
                    best = __byte_perm(best, of_block, half ? 0x7610 : 0x3254);
                    int step = BLOCK - 1 - int(half_of(of_block, half)) % SCALE;
                    best_row[half] = block * BLOCK + step - lane + 1 - query[half].pads;
                }
        }
        __syncwarp();
#pragma unroll
        for (int k = 0; k < CELL_WORDS / 4; ++k) {
            int four = k * WARP_SIZE + threadIdx.x, of = four / (CELL_WORDS / 4), part = four % (CELL_WORDS / 4);
            const unsigned* from = staged + of * STAGED_WORDS + 4 * part;
            reinterpret_cast<Quad<unsigned>*>(stored)[four] = *reinterpret_cast<const Quad<unsigned>*>(from);
        }
        __syncwarp();
        if (!AFFINE) {
            unsigned stamp = stamp_before((block + 1) * BLOCK);
            corner = (corner & VALUES) | stamp;
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) h[c] = (h[c] & VALUES) | stamp, e[c] = (e[c] & VALUES) | stamp;
        } else {
            Words<E_WORDS> e_tags;
            unsigned values[COLUMNS];
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) values[c] = e[c] & VALUES;
#pragma unroll
            for (int k = 0; k < E_WORDS; ++k) e_tags.word[k] = tags_of<PER_WORD>(e + PER_WORD * k, values + PER_WORD * k);
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) e[c] = values[c] + both(ABOVE);
            reinterpret_cast<Words<E_WORDS>*>(stored + E_PLACE)[threadIdx.x] = e_tags;
        }
    }

#pragma unroll
    for (int half = 0; half < 2; ++half) {
        End end;
        find_end(query, subject, first_column, h, best, best_row, half, end);
        if (lane == LANES - 1 && index < units) reinterpret_cast<End*>(ends)[2 * index + half] = end;
    }
}
