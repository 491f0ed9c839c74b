// One product of a warpgroup on operands that lie as MODE says, and bulk copies in stages.
//
// architectures: sm_90a
#include "../../src/repro/mgemm/kernels/wgmma.cuh"

constexpr Descriptor MODES[] = {0, 1, 2, 3};  // none, 128, 64 and 32 bytes

// operands: A and B as they are to lie in shared memory, `words` words, B from word `b_from` on. d: (128 threads, 128).
extern "C" __global__ void bits_m64n256k256(const unsigned* operands, int* d, int words, int b_from, int leading,
                                            int stride) {
    extern __shared__ __align__(1024) unsigned shared[];
    Barrier* arrived = reinterpret_cast<Barrier*>(shared + words);
    if (threadIdx.x == 0) {
        make_barrier(arrived, 1);
        publish_barriers();
        arrive_expecting(arrived, 4 * words);
        begin_bulk_copy(shared, operands, 4 * words, arrived);
    }
    __syncthreads();
    int sum[128];
    for (int i = 0; i < 128; ++i) sum[i] = d[threadIdx.x * 128 + i];
    await_phase(arrived, 0);
    auto descriptor = [&](const unsigned* from) {
        return (shared_address(from) & 0x3FFFF) / 16 | Descriptor(leading / 16) << 16 | Descriptor(stride / 16) << 32 | MODES[MODE] << 62;
    };
    begin_products();
    wgmma_and_popc(sum, descriptor(shared), descriptor(shared + b_from));
    close_products();
    await_products<KEPT>();
    for (int i = 0; i < 128; ++i) d[threadIdx.x * 128 + i] = sum[i];
}

// output[i] = the sum over slabs of input[slab][i + 4]; two stages, which a barrier says are free once all threads but
// those below LATE have read them.
extern "C" __global__ void bulk_sum(const int* input, int* output, int slabs) {
    __shared__ __align__(16) int stages[2][128];
    __shared__ Barrier full[2], empty[2];
    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; ++s) {
            make_barrier(full + s, 1);
            make_barrier(empty + s, 128 - LATE);
        }
        publish_barriers();
    }
    __syncthreads();
    int sum = 0;
    auto fill = [&](int slab) {
        if (slab > 1) await_phase(empty + slab % 2, slab / 2 % 2 ^ 1);
        arrive_expecting(full + slab % 2, 512);
        begin_bulk_copy(stages[slab % 2], input + slab * 128, 256, full + slab % 2);
        begin_bulk_copy(stages[slab % 2] + 64, input + slab * 128 + 64, 256, full + slab % 2);
    };
    if (threadIdx.x == 64) fill(0);
    for (int slab = 0; slab < slabs; ++slab) {
        if (threadIdx.x == 64 && slab + 1 < slabs) fill(slab + 1);
        await_phase(full + slab % 2, slab / 2 % 2);
        sum += stages[slab % 2][(threadIdx.x + 4) % 128];
        if (threadIdx.x >= LATE) arrive(empty + slab % 2);
    }
    output[threadIdx.x] = sum;
}

// A barrier made for two arrivals and bytes that never come gets one arrival and `more`.
extern "C" __global__ void misused(int more) {
    __shared__ Barrier barrier;
    make_barrier(&barrier, 2);
    arrive_expecting(&barrier, 16);
    for (int i = 0; i < more; ++i) arrive(&barrier);
    await_phase(&barrier, 0);
}
