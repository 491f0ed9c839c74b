// Scores by SeqAn 2: a pair in each lane of a vector, blocks of pairs spread over all cores.
//
// REPRO_LANE is the type of a lane, REPRO_MODE 0 for global, 1 for semi-global and 2 for local alignments, REPRO_GAPS
// LinearGaps or AffineGaps. Codes 0 to 3 are A, C, G and T, 4 is any other letter. Pair i is query chosen[i] with
// subject partners[i].
#include <algorithm>
#include <cstdint>
#include <vector>

#include <seqan/align_parallel.h>

using namespace seqan;
using Sequence = String<Iupac>;

constexpr int64_t PAIRS = 32;  // lanes of the widest vectors; the time for a set is quadratic in what it holds

static std::vector<Sequence> sequences(const uint8_t* codes, const int64_t* offsets, int64_t count, const char* letters) {
    std::vector<Sequence> made(count);
    for (int64_t i = 0; i < count; ++i)
        for (int64_t at = offsets[i]; at < offsets[i + 1]; ++at) appendValue(made[i], letters[codes[at]]);
    return made;
}

extern "C" void seqan_scores(const uint8_t* queries, const int64_t* starts, int64_t query_count, const uint8_t* subjects,
                             const int64_t* begins, int64_t subject_count, const int64_t* chosen,
                             const int64_t* partners, int64_t pairs, int match, int mismatch, int first, int further,
                             int64_t* scores) {
    // Other letters equal nothing, so those of queries and of subjects are different ones.
    auto const rows = sequences(queries, starts, query_count, "ACGTN");
    auto const columns = sequences(subjects, begins, subject_count, "ACGTB");
    Score<REPRO_LANE, Simple> const scheme(match, mismatch, -further, -first);
    ExecutionPolicy<Serial, Vectorial> const vectors;
#pragma omp parallel for schedule(dynamic)
    for (int64_t from = 0; from < pairs; from += PAIRS) {
        int64_t const to = std::min(from + PAIRS, pairs);
        StringSet<Sequence, Dependent<Generous>> a, b;
        for (int64_t pair = from; pair < to; ++pair) {
            appendValue(a, rows[chosen[pair]]);
            appendValue(b, columns[partners[pair]]);
        }
#if REPRO_MODE == 2
        auto const found = localAlignmentScore(vectors, a, b, scheme, REPRO_GAPS());
#else
        using Ends = AlignConfig<REPRO_MODE, REPRO_MODE, REPRO_MODE, REPRO_MODE>;
        auto const found = globalAlignmentScore(vectors, a, b, scheme, Ends(), REPRO_GAPS());
#endif
        for (int64_t pair = from; pair < to; ++pair) scores[pair] = found[pair - from];
    }
}
