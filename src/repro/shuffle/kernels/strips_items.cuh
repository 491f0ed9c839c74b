// Which strip a warp of strips.cu takes next.
#pragma once

// Whether the multiprocessor prefers this warp to the others of its scheduler, as it does those in its first places: on an
// NVIDIA H200 a row takes them 345 clocks with affine gaps and the others 800.
__device__ __forceinline__ bool is_preferred() {
#ifdef REPRO_WARP_SIZE  // the emulator's own name
    return blockIdx.x % WARPS < WARPS / 2;
#else
    int place;
    asm("mov.u32 %0, %%warpid;" : "=r"(place));
    return place % WARPS < WARPS / 2;
#endif
}

// The number of the next item, `items` when there are no more. Of those before long_items next_item[0] are begun, of the
// others next_item[1]. Preferred warps begin with the former, the others with the latter, and all go on with what is left.
__device__ __forceinline__ int next_of(int* next_item, int long_items, int items, bool preferred) {
    for (int turn = 0; turn < 2; ++turn, preferred = !preferred) {
        int item = preferred ? atomicAdd(next_item, 1) : long_items + atomicAdd(next_item + 1, 1);
        if (item < (preferred ? long_items : items)) return item;
    }
    return items;
}
