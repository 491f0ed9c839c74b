// Cooperative launches: all blocks are resident at once and take turns, so that they can wait for each other.
#pragma once
#include <algorithm>
#include <string>

#include "block.hpp"

namespace repro {

// One block of a cooperative launch while others have their turn.
struct Resident {
    Block waiting;
    std::vector<Thread> threads;
    std::vector<Warp> its_warps;
    std::vector<char> shared;

    void exchange() {
        std::swap(block, waiting);
        pool.swap(threads);
        warps.swap(its_warps);
        std::swap_ranges(shared.begin(), shared.end(), __start_repro_shared);
    }
};

inline uint64_t digest_of(const std::vector<Resident>& residents, uint64_t seed) {
    for (const Resident& resident : residents) {
        const Block& state = resident.waiting;
        seed = digest(resident.shared.data(), resident.shared.data() + resident.shared.size(), seed + state.running);
        seed = digest(state.dynamic_shared, state.dynamic_shared + state.launch->shared_bytes, seed);
    }
    return seed;
}

inline void report_waits(const std::vector<Resident>& residents) {
    constexpr unsigned named = 4;
    std::string waits;
    unsigned waiting = 0;
    for (const Resident& resident : residents) {
        const Block& state = resident.waiting;
        const Thread* sleeper = first_asleep(resident.threads.data(), state.threads);
        if (!state.running || !sleeper || ++waiting > named) continue;
        char one[200], thread[160];
        describe(thread, sizeof thread, *sleeper);
        snprintf(one, sizeof one, "%sblock (%u,%u,%u), %s", waiting > 1 ? "; " : "", state.index.x, state.index.y, state.index.z, thread);
        waits += one;
    }
    if (waiting > named) waits += "; and " + std::to_string(waiting - named) + " more blocks";
    report_launch("%u blocks wait for what nobody does: %s", waiting, waits.c_str());
}

inline void run_together(uint64_t blocks, unsigned warp_size) {
    std::vector<Resident> residents(blocks, {block, {}, {}, std::vector<char>(__stop_repro_shared - __start_repro_shared)});
    for (uint64_t number = 0; number < blocks; ++number) {
        residents[number].exchange();
        make_room();
        prepare_block(number, warp_size);
        residents[number].exchange();
    }
    std::vector<unsigned> order(blocks);
    block.random = block.launch->seed + 1;
    Patience patience;
    bool failed = false;
    for (uint64_t running = blocks; running && !failed;) {
        bool slept = false;
        running = 0;
        order_of(order.data(), unsigned(blocks));
        for (uint64_t i = 0; i < blocks && !failed; ++i) {
            Resident& resident = residents[order[i]];
            if (!resident.waiting.running) continue;
            resident.exchange();
            slept |= run_round();
            running += block.running != 0;
            failed = block.failed;
            resident.exchange();
        }
        if (slept && !failed && patience.checks() && patience.ends([&](uint64_t seed) { return digest_of(residents, seed); })) {
            failed = true;
            report_waits(residents);
        }
    }
    for (Resident& resident : residents) {
        resident.exchange();
        drop_fibers();
        on_block_end();
        std::free(block.dynamic_shared);
        resident.exchange();
    }
}

}  // namespace repro
