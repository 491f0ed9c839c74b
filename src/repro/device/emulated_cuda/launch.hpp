// Entry of a launch: every host thread that works on it takes blocks from here.
#pragma once
#include "cooperative.hpp"

namespace repro {

inline uint64_t greatest_common_divisor(uint64_t a, uint64_t b) { return b ? greatest_common_divisor(b, a % b) : a; }

// Takes blocks until none is left; called by every host thread that works on the launch.
inline int run_blocks(Launch* launch, const char* kernel, void (*body)(void**), unsigned warp_size) {
    prepare_launch(launch, kernel, body, warp_size);
    on_launch_start();
    uint64_t blocks = uint64_t(launch->grid[0]) * launch->grid[1] * launch->grid[2];
    if (launch->cooperative) {
        run_together(blocks, warp_size);
        on_launch_end();
        return int(launch->failed);
    }
    make_room();
    set_working(true);
    uint64_t stride = 1 + launch->seed % blocks;
    while (greatest_common_divisor(stride, blocks) != 1) stride = stride % blocks + 1;
    while (!__atomic_load_n(&launch->failed, __ATOMIC_RELAXED)) {
        uint64_t first = __atomic_fetch_add(&launch->next_block, launch->chunk, __ATOMIC_RELAXED);
        if (first >= blocks) break;
        uint64_t last = first + launch->chunk < blocks ? first + launch->chunk : blocks;
        for (uint64_t i = first; i < last && !block.failed; ++i) {
            uint64_t number = launch->order == 0 ? i : launch->order == 1 ? blocks - 1 - i : i * stride % blocks;
            prepare_block(number, warp_size);
            set_working(true);
            run_block();
        }
    }
    set_working(false);
    std::free(block.dynamic_shared);
    on_launch_end();
    return int(launch->failed);
}

}  // namespace repro
