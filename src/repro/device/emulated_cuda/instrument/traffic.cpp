// What a kernel asks of memory, warp by warp: sectors of 32 bytes and transactions of 128 bytes of global memory, passes
// through the banks of shared memory.
//
// The lanes of a warp run one after another here. Each keeps a trace of its accesses and of the basic blocks it enters;
// when the warp's lanes have met again, the traces are merged as the hardware runs them: always the lanes that are
// furthest behind in the program, together with all that are at the same instruction.
#include <algorithm>
#include <map>
#include <tuple>

#include "accesses.hpp"

namespace {

using namespace repro;

enum class Operation : uint8_t { load, store, atomic, none };  // none: the start of a basic block

struct Event {
    const char* address;
    uint32_t place;
    uint16_t size;
    uint8_t lane;
    Operation operation;
};

using Trace = std::vector<Event>;

// One row for each place in the code, kind of memory and operation.
struct Totals {
    uint64_t requests = 0, lanes = 0, sectors = 0, transactions = 0, passes = 0;
};

std::map<std::tuple<uint32_t, bool, Operation>, Totals> totals;
std::map<uint64_t, std::vector<Trace>> traces;  // of the threads of each resident block
std::vector<TrafficRow> rows;
std::vector<Trace>* current;

std::size_t distinct(std::vector<uint64_t>& values) {
    std::sort(values.begin(), values.end());
    return std::size_t(std::unique(values.begin(), values.end()) - values.begin());
}

// How many different pieces of `bytes` bytes the lanes touch.
std::size_t pieces(const std::vector<Event>& lanes, uint64_t bytes) {
    std::vector<uint64_t> touched;
    for (const Event& lane : lanes)
        for (uint64_t piece = uint64_t(lane.address) / bytes; piece <= (uint64_t(lane.address) + lane.size - 1) / bytes; ++piece)
            touched.push_back(piece);
    return distinct(touched);
}

// A pass serves 32 banks of 4 bytes: of one bank one word, for all lanes that want it. Lanes with 8 bytes are served by
// half warps, with 16 bytes by quarters.
std::size_t bank_passes(const std::vector<Event>& lanes) {
    unsigned group = 32 / std::max(1, lanes[0].size / 4);
    std::size_t passes = 0;
    for (unsigned first = 0; first < 64; first += group) {
        std::vector<uint64_t> wanted;
        for (const Event& lane : lanes)
            for (uint64_t word = uint64_t(lane.address) / 4; word <= (uint64_t(lane.address) + lane.size - 1) / 4; ++word)
                if (lane.lane / group == first / group) wanted.push_back(word);
        wanted.resize(distinct(wanted));
        std::size_t in_bank[32] = {};
        for (uint64_t word : wanted) ++in_bank[word % 32];
        passes += *std::max_element(in_bank, in_bank + 32);
    }
    return passes;
}

void count(const std::vector<Event>& lanes) {
    bool shared = in_static_shared(lanes[0].address) || in_dynamic_shared(lanes[0].address);
    if (!shared && !in_global(lanes[0].address)) return;
    Totals& row = totals[{lanes[0].place, shared, lanes[0].operation}];
    ++row.requests;
    row.lanes += lanes.size();
    if (shared) {
        row.passes += bank_passes(lanes);
    } else {
        row.sectors += pieces(lanes, 32);
        row.transactions += pieces(lanes, 128);
    }
}

void merge(const Warp& warp) {
    Trace* first = current->data() + (warp.threads - pool.data());
    std::size_t next[64] = {};
    std::vector<Event> together;
    for (;;) {
        uint64_t behind = ~uint64_t(0);
        for (unsigned lane = 0; lane < warp.size; ++lane)
            if (next[lane] < first[lane].size()) behind = std::min(behind, uint64_t(first[lane][next[lane]].place));
        if (behind == ~uint64_t(0)) break;
        together.clear();
        for (unsigned lane = 0; lane < warp.size; ++lane)
            if (next[lane] < first[lane].size() && first[lane][next[lane]].place == behind) together.push_back(first[lane][next[lane]++]);
        if (together[0].operation != Operation::none) count(together);
    }
    for (unsigned lane = 0; lane < warp.size; ++lane) first[lane].clear();
}

void merge_all() {
    for (unsigned w = 0; w < block.warps; ++w) merge(warps[w]);
}

uint64_t block_number() { return block.index.x + uint64_t(block.grid.x) * (block.index.y + uint64_t(block.grid.y) * block.index.z); }

}  // namespace

namespace repro {

void accessed(const char* address, std::size_t size, bool write, Kind kind, const void* caller) {
    Operation operation = kind == Kind::atomic ? Operation::atomic : write ? Operation::store : Operation::load;
    (*current)[self - pool.data()].push_back({address, uint32_t(place(caller)), uint16_t(size), self->lane, operation});
}

void on_launch_start() {
    totals.clear();
    traces.clear();
}
void on_launch_end() {
    rows.clear();
    for (const auto& [key, row] : totals)
        rows.push_back({std::get<0>(key), std::get<1>(key), uint32_t(std::get<2>(key)), row.requests, row.lanes, row.sectors, row.transactions, row.passes});
    block.launch->traffic = rows.data();
    block.launch->traffic_count = rows.size();
}
void on_block_start() { traces[block_number()].resize(block.threads); }
void on_block_end() {
    current = &traces[block_number()];
    merge_all();
    traces.erase(block_number());
}
void on_resume() {
    running = true;
    current = &traces[block_number()];
}
void on_pause() { running = false; }
void on_return() {}
void on_barrier() { merge_all(); }
void on_meeting(const Warp& warp, Mask members, Meeting) {
    if (members == warp.present) merge(warp);
}
void on_fence() {}

}  // namespace repro

REPRO_CALLBACK void __sanitizer_cov_trace_pc() {
    if (repro::running) (*current)[self - pool.data()].push_back({nullptr, uint32_t(place(REPRO_CALLER)), 0, self->lane, Operation::none});
}
