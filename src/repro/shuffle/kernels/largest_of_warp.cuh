// The largest number of a warp's lanes. Of one that is found so the compiler knows that all lanes have the same: loops that
// end by it need no check at every shuffle whether the lanes are together.
#pragma once

__device__ __forceinline__ int largest_of_warp(int value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(FULL_MASK, value);
#else
    for (int lanes = WARP_SIZE / 2; lanes > 0; lanes /= 2) value = max(value, __shfl_xor_sync(FULL_MASK, value, lanes));
    return value;
#endif
}
