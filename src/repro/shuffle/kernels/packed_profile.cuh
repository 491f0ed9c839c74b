// Where packed.cu's gains come from, of all columns of a thread with the letters of a row.
#pragma once
#include "bytes.cuh"
#include "packed.cuh"
#include "words.cuh"

// Scores: of the first columns of a thread permuted from a register, of the others looked up in shared memory, where a
// word has one column's for both subjects or, as BYTES, two columns'.
constexpr int LOOKED_UP = COLUMNS - PERMUTED, GAINS = BYTES ? COLUMNS / 2 : COLUMNS;  // words for a row
static_assert(LOOKED_UP % (ALL && !BYTES ? 4 : 8) == 0, "whole words of four columns, or of eight of one subject");
static_assert(!BYTES || (ALL && !PERMUTED && MODE != LOCAL), "sums are those of words, and both subjects' gains looked up at once");

constexpr unsigned ZERO_BYTES = 0x7070;  // byte 7 of a table is 0: the upper byte of a gain

// tables: for the code of a query's letter, 8 bytes by the code of a subject's. words: in shared memory, by the code of a
// query's letter (4, 5 with others, 6 with pads) and by four columns, or by eight columns of one subject where queries
// differ, or as BYTES. selectors: which bytes of a table the two subjects of a column take.
struct Profile {
    const uint2* tables;
    Quad<unsigned>* words;
    unsigned selectors[PERMUTED ? PERMUTED : 1];
};

constexpr int TABLE_WORDS = BYTES ? 24 : PERMUTED ? 16 : 0;

__device__ __forceinline__ Profile make_profile(unsigned* shared, const int* table) {
    Profile profile;
    profile.tables = reinterpret_cast<const uint2*>(shared);
    profile.words = reinterpret_cast<Quad<unsigned>*>(shared + TABLE_WORDS) + threadIdx.x;
    if (BYTES) make_byte_tables(reinterpret_cast<uint4*>(shared), [&](int row, int code) { return gain(table, row, code); });
    if (PERMUTED && threadIdx.x < LETTERS) {
        unsigned low = 0, high = 0;
        for (int code = 0; code < 4; ++code) low |= (gain(table, threadIdx.x, code) & 0xFF) << 8 * code;
        for (int code = 4; code < 6; ++code) high |= (gain(table, threadIdx.x, code) & 0xFF) << 8 * (code - 4);
        reinterpret_cast<uint2*>(shared)[threadIdx.x] = make_uint2(low, high);
    }
    __syncwarp();
    return profile;
}

__device__ __forceinline__ void fill_profile(Profile& profile, const int* table, const Sequence* subject, int first_column) {
#pragma unroll
    for (int c = 0; c < PERMUTED; ++c) {
        unsigned low = code_at(subject[0], first_column + c), high = code_at(subject[1], first_column + c);
        profile.selectors[c] = (low & 7) | (high & 7) << 8 | ZERO_BYTES;
    }
    first_column += PERMUTED;
    if (BYTES) return fill_bytes(profile.words, reinterpret_cast<const uint4*>(profile.tables), subject, first_column);
    for (int four = 0; four < LOOKED_UP / 4; ++four) {
        int eight = (four < LOOKED_UP / 8 ? four : four - LOOKED_UP / 8) * 8;
        fill_words<LOOKED_UP>(profile.words, subject, first_column, four, eight, [&](int row, int of_low, int of_high) {
            int low = gain(table, row, of_low), high = gain(table, row, of_high);
            // The word where it is added as a whole; else each half by itself.
            return ALL && (MODE != LOCAL || (WIDE && !ADJACENT_GAPS)) ? low + (unsigned(high) << 16) : packed(low, high);
        });
    }
}

// The codes of a row's letters in both queries; ALL: in the first.
struct Row {
    int code[2];
};

__device__ __forceinline__ Row load_row(const Sequence* query, int row, int rows) {
    if (ALL) return {{unsigned(row) < unsigned(rows) ? __ldg(query[0].codes + row) : PAD, PAD}};
    return {{code_at(query[0], row), code_at(query[1], row)}};
}

// What all columns of a thread gain in a row.
__device__ __forceinline__ void look_up(const Profile& profile, Row row, unsigned* gains) {
    if (BYTES) {
        constexpr unsigned LETTER_BYTES = COLUMNS / 8 * WARP_SIZE * sizeof(Quad<unsigned>);
        // One instruction, whatever the compiler knows of a letter.
        unsigned place = __dp2a_lo(LETTER_BYTES, unsigned(row.code[0]), unsigned(threadIdx.x * sizeof(Quad<unsigned>)));
        const auto* first = reinterpret_cast<const unsigned char*>(profile.words - threadIdx.x) + place;
        return look_up_bytes(reinterpret_cast<const Quad<unsigned>*>(first), 0, gains);
    }
    if (PERMUTED) {
        uint2 bytes = profile.tables[row.code[0]];
#pragma unroll
        for (int c = 0; c < PERMUTED; ++c) gains[c] = __byte_perm(bytes.x, bytes.y, profile.selectors[c]);
    }
    look_up_words<LOOKED_UP>(profile.words, row.code, gains + PERMUTED);
}
