// Runs kernels of kernels.cu as a program of its own, for machines whose Python is not at hand. Appended to the emulated
// text of that file; prints what differs from what it should be.
#include <cstdio>
#include <vector>

namespace {

int failures;

void launch(int (*kernel)(Launch*), unsigned order, unsigned blocks, unsigned threads, std::vector<void*> arguments, bool cooperative = false) {
    Launch work = {};
    work.grid[0] = blocks, work.grid[1] = work.grid[2] = 1;
    work.block[0] = threads, work.block[1] = work.block[2] = 1;
    work.shared_bytes = 4096;
    work.arguments = arguments.data();
    work.order = order;
    work.chunk = 1;
    work.seed = 5;
    work.cooperative = cooperative;
    if (kernel(&work)) std::printf("%s\n", work.error), ++failures;
}

void expect(const char* what, unsigned order, int found, int wanted) {
    if (found != wanted) std::printf("%s, order %u: %d, should be %d\n", what, order, found, wanted), ++failures;
}

}  // namespace

int main() {
    for (unsigned order = 0; order < 3; ++order) {
        std::vector<int> input(96 * 5), output(96 * 5);
        for (std::size_t i = 0; i < input.size(); ++i) input[i] = int(i * 7 % 1000);
        int *in = input.data(), *out = output.data();
        for (auto kernel : {repro_launch_reverse_static, repro_launch_reverse_dynamic}) {
            launch(kernel, order, 5, 96, {&in, &out});
            for (int i = 0; i < 96 * 5; ++i) expect("reverse", order, output[i], input[i / 96 * 96 + 95 - i % 96]);
        }
        int steps = 5;
        launch(repro_launch_warp_chain, order, 1, 32, {&out, &steps});
        for (int i = 0; i < 32; ++i) expect("warp_chain", order, output[i], i + 5 < 32 ? i + 5 : 1000);
        int width = 16;
        launch(repro_launch_shuffles, order, 1, 32, {&in, &out, &width});
        for (int i = 0; i < 32; ++i) {
            expect("shuffle", order, output[i], input[i / 16 * 16 + 5]);
            expect("shuffle up", order, output[32 + i], input[i % 16 >= 3 ? i - 3 : i]);
            expect("shuffle xor", order, output[96 + i], input[i ^ 3]);
        }
        std::vector<double> real(32), turned(32);
        for (int i = 0; i < 32; ++i) real[i] = i / 3.0;
        double *from = real.data(), *to = turned.data();
        launch(repro_launch_wide_shuffle, order, 1, 32, {&from, &to});
        for (int i = 0; i < 32; ++i) expect("wide_shuffle", order, turned[i] == real[31 - i], 1);
        int integers[5] = {};
        unsigned long long wide = 0;
        float sum = 0;
        void *a = integers, *b = &wide, *c = &sum;
        launch(repro_launch_atomics, order, 100, 62, {&a, &b, &c});
        expect("atomicAdd", order, integers[0], 6200);
        expect("atomicCAS", order, integers[4], 12400);
        expect("atomicAdd, 64 bits", order, int(wide >> 33), 6200);
        expect("atomicAdd, float", order, int(sum), 3100);
    }
    std::puts(failures ? "wrong" : "right");
    return failures != 0;
}
