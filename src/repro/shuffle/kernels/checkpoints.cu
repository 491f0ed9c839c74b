// The score pass of `auto`'s traceback: as packed.cu, LANES threads per unit, and what checkpoints.cuh says is kept.
//
// STAGED: subjects wider than a warp. A block, which is one warp, takes the next stage that nobody has begun: whatever order
// blocks run in, the stage to the left was begun earlier and does not wait for this one. Each word of an edge is its own
// flag; what a block of steps needs is asked for while the one before is computed.
#include "checkpoints_profile.cuh"
#include "largest_of_warp.cuh"

constexpr int GROUPS = WARP_SIZE / LANES;
constexpr int STAGED_WORDS = BLOCK + 4;  // of a lane: so far apart, its neighbours' lie in other banks
constexpr WORD NOT_YET = WORD(1ull << (8 * sizeof(WORD) - 1));
static_assert(!STAGED || (LANES == WARP_SIZE && EDGE_WORDS <= LANES), "a lane brings one word of an edge");

// Writes BLOCK words of every lane, which lie in `staged`, to each lane's place, if it has one: a warp's stores side by
// side, where a lane's own would be a sector of 32 bytes here and there.
__device__ __forceinline__ void store_together(const WORD* staged, WORD* place) {
    __syncwarp();
#pragma unroll
    for (int k = 0; k < BLOCK / 4; ++k) {
        int four = k * WARP_SIZE + threadIdx.x, lane = four / (BLOCK / 4), part = four % (BLOCK / 4);
        auto* to = reinterpret_cast<Quad<WORD>*>(__shfl_sync(FULL_MASK, reinterpret_cast<unsigned long long>(place), lane));
        if (to) to[part] = *reinterpret_cast<const Quad<WORD>*>(staged + lane * STAGED_WORDS + 4 * part);
    }
    __syncwarp();
}

__device__ __forceinline__ int take(int* next_item) {
    int item = 0;
    if (threadIdx.x == 0) item = atomicAdd(next_item, 1);
    return largest_of_warp(item);
}

// Of every item, the edge on its right: NOT_YET.
extern "C" __global__ void shuffle_checkpoints_begin(const long long* units, const int* stages, WORD* words, int* next_item) {
    const Unit& unit = reinterpret_cast<const Unit*>(units)[stages[2 * blockIdx.x]];
    const Layout layout = make_layout(unit);
    int stage = stages[2 * blockIdx.x + 1];
    WORD* edge = words + unit.place + edge_place(layout, stage, 0);
    if (stage < layout.stages - 1)
        for (int k = threadIdx.x; k < layout.blocks * EDGE_WORDS; k += blockDim.x) edge[k] = NOT_YET;
    if (blockIdx.x == 0 && threadIdx.x == 0) *next_item = 0;
}

// units: `count` of them, with the addresses of their letters relative to queries and subjects. words: what is kept. An
// item is a warp's units; STAGED: one of `stages`, a unit and its stage, which is after the one to its left.
extern "C" __global__ void shuffle_checkpoints(const uint8_t* queries, const uint8_t* subjects, const long long* units,
                                               const int* table, const int* stages, int* next_item, WORD* words, int count,
                                               int items, int first, int further) {
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ __align__(16) WORD staged_h[WARP_SIZE * STAGED_WORDS], staged_f[AFFINE ? WARP_SIZE * STAGED_WORDS : 4];
    __shared__ __align__(16) WORD entered[STAGED ? EDGE_WORDS : 4];  // of a block, on the left of the stage
    __shared__ Whole gains_of[CODES * TABLE_ROW];
    Quad<WORD>* profile = reinterpret_cast<Quad<WORD>*>(shared) + threadIdx.x;
    auto* my_h = reinterpret_cast<Quad<WORD>*>(staged_h + threadIdx.x * STAGED_WORDS);
    auto* my_f = reinterpret_cast<Quad<WORD>*>(staged_f + threadIdx.x * STAGED_WORDS);
    int lane = threadIdx.x % LANES;
    const Penalties cost = make_penalties(first, further);
    Whole lowest = MODE != LOCAL ? -2 * cost.open : HALVES == 2 ? -(1 << 14) : -(1 << 30);
    for (int i = threadIdx.x; i < CODES * TABLE_ROW; i += WARP_SIZE)
        gains_of[i] = gain(table, i / TABLE_ROW, min(i % TABLE_ROW, PAD), cost, lowest);
    __syncwarp();
    const WORD NO_GAP = both(no_gap(cost)), OPEN = both(-cost.open), FURTHER = both(-further);
    const WORD FIRST = both(-first), ZERO = both(0);

    for (int item = STAGED ? take(next_item) : blockIdx.x; item < items; item = STAGED ? take(next_item) : items) {
        int index = STAGED ? stages[2 * item] : item * GROUPS + threadIdx.x / LANES;
        int stage = STAGED ? stages[2 * item + 1] : 0;
        bool exists = index < count;
        const Unit& unit = reinterpret_cast<const Unit*>(units)[min(index, count - 1)];
        const Layout layout = make_layout(unit);
        WORD* kept = words + unit.place;
        int blocks = layout.blocks;
        if (GROUPS > 1)  // lanes of all groups shuffle together
            for (int lanes = WARP_SIZE / 2; lanes >= LANES; lanes /= 2)
                blocks = max(blocks, __shfl_xor_sync(FULL_MASK, blocks, lanes));
        const uint8_t *query[HALVES], *subject[HALVES];
        Whole m[HALVES], n[HALVES], row_pads[HALVES], column_pads[HALVES];
#pragma unroll
        for (int half = 0; half < HALVES; ++half) {
            query[half] = queries + unit.query[half];
            subject[half] = subjects + unit.subject[half];
            m[half] = Whole(unit.m[half]);
            n[half] = Whole(unit.n[half]);
            row_pads[half] = layout.rows - m[half];
            column_pads[half] = layout.stripes * COLUMNS - n[half];
        }
        auto border_after = [&](const Whole* pads, int passed) {
            return make_word(border(cost, passed - pads[0]), border(cost, passed - pads[HALVES - 1]));
        };
        int stripe = stage * LANES + lane - layout.idle;
        bool keeps = exists && stripe >= 0;
        int first_column = stripe * COLUMNS;
        fill_profile(profile, gains_of, subject, n, first_column, layout.stripes);
        WORD h[COLUMNS], e[COLUMNS], f = NO_GAP, best = ZERO;
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            h[c] = border_after(column_pads, first_column + c + 1);
            e[c] = NO_GAP;
        }
        WORD corner = border_after(column_pads, first_column);
        int next_code[HALVES];
#pragma unroll
        for (int half = 0; half < HALVES; ++half)
            next_code[half] = code_at(query[half], m[half], -lane - row_pads[half]);

        auto read = [&](int block) {
            int row = block * BLOCK;
            bool some = STAGED && stage > 0 && lane < EDGE_WORDS && row + lane % BLOCK < layout.rows;
            return some ? __ldcv(kept + edge_place(layout, stage - 1, row) + lane) : ZERO;
        };
        WORD entering = read(0);
        for (int block = 0; block < blocks; ++block) {
            if (STAGED) {
                while (__any_sync(FULL_MASK, entering == NOT_YET)) {
                    __nanosleep(100);
                    entering = read(block);
                }
                if (lane < EDGE_WORDS) entered[lane] = entering;
                entering = read(block + 1);
            }
            bool writes = keeps && block < layout.blocks;
#pragma unroll
            for (int c = 0; c < COLUMNS; c += 4) {
                my_h[c / 4] = {h[c], h[c + 1], h[c + 2], h[c + 3]};
                if (AFFINE) my_f[c / 4] = {e[c], e[c + 1], e[c + 2], e[c + 3]};
            }
            WORD* state = writes ? kept + row_place(layout, stripe, block) : nullptr;
            store_together(staged_h, state ? state + layout.h_rows : nullptr);
            if (AFFINE) store_together(staged_f, state ? state + layout.e_rows : nullptr);
            // At first and in the end some lanes are outside the rows; while none is, nothing needs to be guarded.
            auto four_steps = [&](int step, bool guarded) {
                Quad<WORD> right_h, right_f, entered_h, entered_f;
                if (STAGED) {
                    entered_h = reinterpret_cast<const Quad<WORD>*>(entered)[step % BLOCK / 4];
                    if (AFFINE) entered_f = reinterpret_cast<const Quad<WORD>*>(entered + BLOCK)[step % BLOCK / 4];
                }
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    int row = step + i - lane, code[HALVES];
                    WORD left = __shfl_up_sync(FULL_MASK, h[COLUMNS - 1], 1, LANES), from_left = NO_GAP;
                    if (AFFINE) from_left = __shfl_up_sync(FULL_MASK, f, 1, LANES);
                    if (lane == 0) {
                        left = STAGED && stage > 0 ? entered_h.entry[i] : border_after(row_pads, row + 1);
                        from_left = STAGED && AFFINE && stage > 0 ? entered_f.entry[i] : NO_GAP;
                    }
#pragma unroll
                    for (int half = 0; half < HALVES; ++half) {
                        code[half] = next_code[half];
                        next_code[half] = code_at(query[half], m[half], row + 1 - row_pads[half]);
                    }
                    if (!guarded || unsigned(row) < unsigned(layout.rows)) {
                        WORD gains[COLUMNS], diagonal = corner, odd = ZERO;
                        look_up(profile, code, gains);
                        f = from_left;
                        corner = left;
#pragma unroll
                        for (int c = 0; c < COLUMNS; ++c) {
                            WORD above = h[c];
                            if (MODE == LOCAL) {
                                if (AFFINE) {
                                    e[c] = add_larger(e[c], FURTHER, above);
                                    f = add_larger(f, FURTHER, left);
                                }
                                WORD gap = AFFINE ? larger(e[c], f) : larger(above, left);
                                gap = add_larger(gap, AFFINE ? FIRST : FURTHER, ZERO);
                                left = add_larger_relu(diagonal, gains[c], gap);
                                if (c % 2) best = largest(best, odd, left);
                                odd = left;
                            } else {
                                if (AFFINE) {
                                    e[c] = add_larger(above, OPEN, e[c]);
                                    f = add_larger(left, OPEN, f);
                                }
                                WORD gap_up = AFFINE ? e[c] : above, gap_left = AFFINE ? f : left;
                                if (WHOLE_SUMS) left = largest(plus(diagonal, gains[c]), gap_up, gap_left);
                                else left = add_larger(diagonal, gains[c], larger(gap_up, gap_left));
                            }
                            diagonal = above;
                            h[c] = left;
                        }
                    }
                    right_h.entry[i] = h[COLUMNS - 1];
                    right_f.entry[i] = f;
                }
                my_h[step % BLOCK / 4] = right_h;
                if (AFFINE) my_f[step % BLOCK / 4] = right_f;
            };
            bool inside = block * BLOCK >= LANES - 1 && (block + 1) * BLOCK <= layout.rows;
            if (__all_sync(FULL_MASK, inside))
                for (int step = block * BLOCK; step < (block + 1) * BLOCK; step += 4) four_steps(step, false);
            else
                for (int step = block * BLOCK; step < (block + 1) * BLOCK; step += 4) four_steps(step, true);
            if (STAGED && stage < layout.stages - 1) {
                __syncwarp();
                int at = lane % BLOCK, row = block * BLOCK + at - (LANES - 1);  // of the last lane
                WORD* edge = kept + edge_place(layout, stage, row) + row % BLOCK;
                const WORD* staged = (lane < BLOCK ? staged_h : staged_f) + (LANES - 1) * STAGED_WORDS;
                if (lane < EDGE_WORDS && unsigned(row) < unsigned(layout.rows))
                    __stcg(edge + (lane < BLOCK ? 0 : BLOCK), staged[at]);
            }
            WORD* column = writes ? kept + column_place(layout, stripe, block * BLOCK) : nullptr;
            store_together(staged_h, column);
            if (AFFINE) store_together(staged_f, column ? column + layout.f_columns : nullptr);
            if (MODE == LOCAL && writes) kept[best_place(layout, stripe, block)] = best;
        }
        if (MODE == SEMI_GLOBAL && keeps) {
            auto* last = reinterpret_cast<Quad<WORD>*>(kept + last_row_place(layout, stripe));
#pragma unroll
            for (int c = 0; c < COLUMNS; c += 4) last[c / 4] = {h[c], h[c + 1], h[c + 2], h[c + 3]};
        }
        __syncwarp();  // the next item fills the profile anew
    }
}
