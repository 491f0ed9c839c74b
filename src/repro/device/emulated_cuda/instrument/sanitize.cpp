// Every access is checked against the arrays there are: device arrays, shared arrays, the thread's local arrays.
#include <algorithm>

#include "common.hpp"

namespace {

using namespace repro;

// Descriptor of an instrumented global or static shared array, as GCC lays it out.
struct Global {
    const char* begin;
    std::size_t size, size_with_border;
    const char *name, *file;
    std::size_t dynamic;
    const void *location, *indicator;
};

// By address. A function, because the compiler registers them before ordinary initialisation.
std::vector<Global>& globals() {
    static std::vector<Global> known;
    return known;
}

using Address = std::uintptr_t;
constexpr Address shadow_offset = 0x7fff8000, page = 4096;  // the offset that toolchain.py gives the compiler

signed char* shadow_of(Address address) { return reinterpret_cast<signed char*>((address >> 3) + shadow_offset); }

// The compiler marks the borders of local arrays in this shadow: one byte for eight, how many of them may be used.
bool stack_allows(const char* address, std::size_t size) {
    for (Address at = Address(address), end = at + size; at < end; at = (at | 7) + 1) {
        int usable = *shadow_of(at);
        Address last = std::min(end - 1, at | 7);
        if (usable && int(last & 7) >= usable) return false;
    }
    return true;
}

// The nearest array in words: "4 bytes past the end of 'output', int32[64]".
void describe_place(char* text, std::size_t size, const char* address) {
    const char *begin = nullptr, *end = nullptr, *kind = "", *name = "";
    std::ptrdiff_t nearest = 1 << 20;
    auto consider = [&](const char* b, const char* e, const char* its_kind, const char* its_name) {
        std::ptrdiff_t distance = address < b ? b - address : address >= e ? address - e + 1 : 0;
        if (distance >= nearest) return;
        nearest = distance, begin = b, end = e, kind = its_kind, name = its_name;
    };
    for (uint64_t i = 0; i < block.launch->memory_count; ++i) {
        const Memory& array = block.launch->memories[i];
        consider(array.begin, array.end, "", array.name);
    }
    for (const Global& global : globals())
        consider(global.begin, global.begin + global.size, in_static_shared(global.begin) ? "shared array " : "", global.name);
    consider(block.dynamic_shared, block.dynamic_shared + block.launch->shared_bytes, "dynamic shared memory", "");
    if (on_own_stack(address)) snprintf(text, size, "outside a local array");
    else if (Address(address) < page) snprintf(text, size, "through a null pointer");
    else if (!begin) snprintf(text, size, "outside every array");
    else if (address >= end) snprintf(text, size, "%td bytes past the end of %s%s", address - end, kind, name);
    else if (address >= begin) snprintf(text, size, "%td bytes into %s%s", address - begin, kind, name);
    else snprintf(text, size, "%td bytes before %s%s", begin - address, kind, name);
}

template <class T>
bool within(const char* address, std::size_t size, const T* first, std::size_t count) {
    auto begin = reinterpret_cast<const char*>(first);
    return address >= begin && address + size <= begin + count * sizeof(T);
}

bool allowed(const char* address, std::size_t size) {
    if (on_own_stack(address)) return stack_allows(address, size);
    if (const Memory* array = array_at_or_before(address); array && address < array->end) return address + size <= array->end;
    if (in_dynamic_shared(address)) return address + size <= block.dynamic_shared + block.launch->shared_bytes;
    if (address >= __ehdr_start && address < _end) {
        auto after = std::upper_bound(globals().begin(), globals().end(), address,
                                      [](const char* a, const Global& global) { return a < global.begin; });
        if (after != globals().begin() && address < after[-1].begin + after[-1].size_with_border)
            return address + size <= after[-1].begin + after[-1].size;
        return !in_static_shared(address);  // else the emulator's own variables, as below
    }
    return within(address, size, pool.data(), pool.size()) || within(address, size, warps.data(), warps.size()) ||
           within(address, size, block.launch, 1);
}

void check(const void* address, std::size_t size, bool write, const void* caller) {
    if (!running || !size || allowed(static_cast<const char*>(address), size)) return;
    running = false;
    char where[256];
    describe_place(where, sizeof where, static_cast<const char*>(address));
    report("thread (%u,%u,%u) %s %zu bytes %s, {at %#llx}", self->index.x, self->index.y, self->index.z,
           write ? "writes" : "reads", size, where, (unsigned long long)place(caller));
    abandon();
}

}  // namespace

namespace repro {

void map_shadow(const void* begin, std::size_t size) {
    auto first = Address(shadow_of(Address(begin))) & ~(page - 1), last = Address(shadow_of(Address(begin) + size));
    for (Address at = first; at <= last; at += page)
        mmap(reinterpret_cast<void*>(at), page, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

void on_stack_allocated(char* stack) { map_shadow(stack, stack_bytes); }
// Functions that returned have taken their marks away; those of a dropped fiber are still there.
void on_stack_dropped(char* stack) { memset(shadow_of(Address(stack)), 0, stack_bytes / 8); }
void on_resume() { running = true; }
void on_pause() { running = false; }
void on_launch_start() {}
void on_launch_end() {}
void on_block_start() {}
void on_block_end() {}
void on_barrier() {}
void on_meeting(const Warp&, Mask, Meeting) {}
void on_fence() {}
void on_atomic(const void* address, std::size_t size, const void* caller) { check(address, size, true, caller); }

}  // namespace repro

// The scheduler runs instrumented code on the host thread's own stack.
extern "C" __attribute__((visibility("default"))) void repro_prepare() {
    constexpr std::size_t reach = 1 << 20;
    map_shadow(static_cast<char*>(__builtin_frame_address(0)) - reach, reach + reach / 16);
}

#define REPRO_CHECK(size)                                                                                     \
    REPRO_CALLBACK void __asan_load##size##_noabort(const void* a) { check(a, size, false, __builtin_return_address(0)); } \
    REPRO_CALLBACK void __asan_store##size##_noabort(const void* a) { check(a, size, true, __builtin_return_address(0)); }
REPRO_CHECK(1)
REPRO_CHECK(2)
REPRO_CHECK(4)
REPRO_CHECK(8)
REPRO_CHECK(16)
REPRO_CALLBACK void __asan_loadN_noabort(const void* a, std::size_t size) { check(a, size, false, __builtin_return_address(0)); }
REPRO_CALLBACK void __asan_storeN_noabort(const void* a, std::size_t size) { check(a, size, true, __builtin_return_address(0)); }
REPRO_CALLBACK void __asan_handle_no_return() {}
REPRO_CALLBACK void __asan_before_dynamic_init(const char*) {}
REPRO_CALLBACK void __asan_after_dynamic_init() {}
REPRO_CALLBACK void __asan_unregister_globals(Global*, std::size_t) {}
REPRO_CALLBACK void __asan_register_globals(Global* first, std::size_t count) {
    globals().insert(globals().end(), first, first + count);
    std::sort(globals().begin(), globals().end(), [](const Global& a, const Global& b) { return a.begin < b.begin; });
}

// Undefined behaviour. The compiler passes where it was found and of which type.

namespace {

struct Found {
    const char* file;
    uint32_t line, column;
};
struct Type {
    uint16_t kind, info;
    char name[1];
};
struct Mismatch {
    Found found;
    const Type* type;
    unsigned char log_alignment, kind;
};
struct Typed {
    Found found;
    const Type* type;
};

__attribute__((format(printf, 2, 3))) void report_undefined(const Found& found, const char* format, ...) {
    if (!running) return;
    running = false;
    char what[512];
    va_list values;
    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    const char* slash = strrchr(found.file, '/');
    const char* file = slash ? slash + 1 : found.file;
    bool kernel_file = strlen(file) > 3 && !strcmp(file + strlen(file) - 3, ".cu");
    report("thread (%u,%u,%u): %s, %s%sline %u", self->index.x, self->index.y, self->index.z, what, kernel_file ? "" : file,
           kernel_file ? "" : " ", found.line);
    abandon();
}

}  // namespace

REPRO_CALLBACK void __ubsan_handle_type_mismatch_v1(const Mismatch* data, const char* address) {
    const char* verb = data->kind == 1 ? "writes" : data->kind == 0 ? "reads" : "uses";
    std::size_t alignment = std::size_t(1) << data->log_alignment;
    char where[256];
    describe_place(where, sizeof where, address);
    if (Address(address) % alignment)
        report_undefined(data->found, "%s %s misaligned %s: not a multiple of %zu", verb, data->type->name, where, alignment);
    else report_undefined(data->found, "%s %s %s", verb, data->type->name, where);
}
REPRO_CALLBACK void __ubsan_handle_out_of_bounds(const Typed* data, std::ptrdiff_t index) {
    report_undefined(data->found, "index %td is out of bounds of %s", index, data->type->name);
}
REPRO_CALLBACK void __ubsan_handle_shift_out_of_bounds(const Typed* data, std::ptrdiff_t, std::ptrdiff_t by) {
    report_undefined(data->found, "shift of %s by %td", data->type->name, by);
}
REPRO_CALLBACK void __ubsan_handle_load_invalid_value(const Typed* data, std::ptrdiff_t value) {
    report_undefined(data->found, "%td is no value of %s", value, data->type->name);
}
#define REPRO_UNDEFINED(fault, what)                                                                          \
    REPRO_CALLBACK void __ubsan_handle_##fault(const Typed* data) { report_undefined(data->found, what " of %s", data->type->name); }
REPRO_UNDEFINED(add_overflow, "overflow in an addition")
REPRO_UNDEFINED(sub_overflow, "overflow in a subtraction")
REPRO_UNDEFINED(mul_overflow, "overflow in a multiplication")
REPRO_UNDEFINED(negate_overflow, "overflow in a negation")
REPRO_UNDEFINED(divrem_overflow, "division by zero or overflow in a division")
REPRO_UNDEFINED(vla_bound_not_positive, "a length that is not positive")
REPRO_UNDEFINED(float_cast_overflow, "a number out of range in a conversion")
#undef REPRO_UNDEFINED
REPRO_CALLBACK void __ubsan_handle_pointer_overflow(const Found* found) { report_undefined(*found, "overflow in pointer arithmetic"); }
REPRO_CALLBACK void __ubsan_handle_builtin_unreachable(const Found* found) { report_undefined(*found, "unreachable code is reached"); }
REPRO_CALLBACK void __ubsan_handle_missing_return(const Found* found) { report_undefined(*found, "a function ends without a value"); }
REPRO_CALLBACK void __ubsan_handle_invalid_builtin(const Found* found) { report_undefined(*found, "zero for a count of leading or trailing zeros"); }
REPRO_CALLBACK void __ubsan_handle_nonnull_arg(const Found* found) { report_undefined(*found, "a null pointer as an argument"); }
