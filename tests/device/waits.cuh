__device__ __forceinline__ unsigned load_again(const unsigned* word) {
    return *static_cast<const volatile unsigned*>(word);
}
