// One CUDA thread is one fiber: a stack of its own and a switch that saves only what the C ABI says a call keeps.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>

// Saves the running fiber's registers, stores its stack pointer in *save and resumes the fiber at `resume`.
extern "C" __attribute__((visibility("hidden"))) void repro_switch(void** save, void* resume);

#if defined(__x86_64__)
asm(R"(
    .text
    .p2align 4
    .weak repro_switch
    .hidden repro_switch
    .type repro_switch, @function
repro_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size repro_switch, .-repro_switch
)");
#elif defined(__aarch64__)
asm(R"(
    .text
    .p2align 4
    .weak repro_switch
    .hidden repro_switch
    .type repro_switch, %function
repro_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size repro_switch, .-repro_switch
)");
#else
#error "the emulator's context switch is written for x86-64 and aarch64"
#endif

namespace repro {

// Frames above half of this are refused at compile time, so a kernel cannot run off its stack unseen.
constexpr std::size_t stack_bytes = REPRO_STACK_BYTES;

inline char* allocate_stack() {
    void* memory = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

// The stack pointer from which repro_switch enters `entry` as if it had been called.
inline void* prepare_stack(char* stack, void (*entry)()) {
    auto top = reinterpret_cast<std::uintptr_t>(stack + stack_bytes) & ~std::uintptr_t(15);
#if defined(__x86_64__)
    auto frame = reinterpret_cast<void**>(top) - 8;  // six registers, the return address, one word of alignment
    frame[6] = reinterpret_cast<void*>(entry);
#else
    auto frame = reinterpret_cast<void**>(top) - 20;
    frame[11] = reinterpret_cast<void*>(entry);  // x30
#endif
    return frame;
}

}  // namespace repro
