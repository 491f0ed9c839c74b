// Conflicting accesses that nothing orders: two threads, one word, at least one write, and between them no barrier, no
// __syncwarp and no fence with a flag. Two strong accesses (atomic or volatile) never conflict, and neither does a store
// of the value that is already there.
#include <algorithm>
#include <unordered_map>

#include "accesses.hpp"

namespace {

using namespace repro;

// Up to which time a thread knows what another thread, or every thread of a block at its last barrier, has done.
struct Clock {
    std::unordered_map<uint64_t, uint64_t> threads, blocks;

    void raise(const Clock& other) {
        for (auto [id, time] : other.threads) threads[id] = std::max(threads[id], time);
        for (auto [id, time] : other.blocks) blocks[id] = std::max(blocks[id], time);
    }
    bool knows(uint64_t thread, uint64_t its_block, uint64_t time) const {
        auto one = threads.find(thread);
        if (one != threads.end() && time <= one->second) return true;
        auto all = blocks.find(its_block);
        return all != blocks.end() && time <= all->second;
    }
};

struct ThreadClock {
    uint64_t lanes[64] = {};    // of its warp, by __syncwarp
    Clock observed, fenced;     // through strong reads; the part before this thread's last fence
    Clock released;             // what a strong write of this thread makes known: all before its last fence
};

struct BlockClock {
    uint64_t barrier_time = 0;
    Clock observed, fenced;
    std::vector<ThreadClock> threads;
};

struct Access {
    uint64_t thread, time;
    uint32_t place;
    bool strong, silent;
};

struct Cell {
    Access write{}, read{};       // time 0: none
    std::vector<Access> more;     // further readers since the write
};

// Cells of 256 bytes, one for each word until something smaller than a word is accessed.
struct Page {
    bool bytewise = false;
    std::vector<Cell> cells = std::vector<Cell>(64);

    void split() {
        std::vector<Cell> bytes(256);
        for (unsigned i = 0; i < 256; ++i) bytes[i] = cells[i / 4];
        cells.swap(bytes);
        bytewise = true;
    }
};

struct Pending {
    const char* address;
    std::size_t size;
    char before[64];
    Access access;
    bool open;
};

constexpr std::size_t most_pages = 1 << 16;
std::unordered_map<uint64_t, Page> pages;
std::unordered_map<uint64_t, BlockClock> clocks;
std::unordered_map<uint64_t, Clock> flags;  // by address: what strong writes have released
uint64_t now, launch_time;                  // no time of an earlier launch is later than launch_time
BlockClock* mine;                           // of the block that runs
Pending pending;

uint64_t block_number() { return block.index.x + uint64_t(block.grid.x) * (block.index.y + uint64_t(block.grid.y) * block.index.z); }
uint64_t thread_id() { return block_number() * block.threads + uint64_t(self - pool.data()); }
ThreadClock& own_clock() { return mine->threads[self - pool.data()]; }
bool in_shared(const char* address) { return in_static_shared(address) || in_dynamic_shared(address); }

// Shared memory of different blocks has the same addresses; where blocks take turns they must not be mixed up.
uint64_t key_of(const char* address) {
    return uint64_t(address) ^ (block.launch->cooperative && in_shared(address) ? (block_number() + 1) << 48 : 0);
}

bool ordered(const Access& earlier, bool strong, bool shared) {
    if (earlier.time <= launch_time || earlier.thread == thread_id()) return true;
    uint64_t its_block = earlier.thread / block.threads;
    ThreadClock& own = own_clock();
    if (its_block == block_number()) {
        if (earlier.time <= mine->barrier_time) return true;
        uint64_t index = earlier.thread % block.threads;
        if (pool[index].warp == self->warp && earlier.time <= own.lanes[pool[index].lane]) return true;
    } else if (shared) {
        return true;  // the shared memory of a block that has ended
    }
    return own.fenced.knows(earlier.thread, its_block, earlier.time) || mine->fenced.knows(earlier.thread, its_block, earlier.time) ||
           (strong && (own.observed.knows(earlier.thread, its_block, earlier.time) ||
                       mine->observed.knows(earlier.thread, its_block, earlier.time)));
}

void name_thread(char* text, std::size_t size, uint64_t id) {
    uint64_t b = id / block.threads, t = id % block.threads;
    const dim3 &grid = block.grid, &threads = block.dimensions;
    snprintf(text, size, "thread (%u,%u,%u) of block (%u,%u,%u)", unsigned(t % threads.x), unsigned(t / threads.x % threads.y),
             unsigned(t / threads.x / threads.y), unsigned(b % grid.x), unsigned(b / grid.x % grid.y), unsigned(b / grid.x / grid.y));
}

void name_place(char* text, std::size_t size, const char* address) {
    if (in_static_shared(address)) snprintf(text, size, "{data %#llx}", (unsigned long long)(address - __ehdr_start));
    else if (in_dynamic_shared(address)) snprintf(text, size, "byte %td of dynamic shared memory", address - block.dynamic_shared);
    else {
        const Memory* array = array_at_or_before(address);
        snprintf(text, size, "byte %td of %s", address - array->begin, array->name);
    }
}

void report_race(const char* address, const Access& earlier, bool earlier_writes, const Access& later, bool later_writes) {
    running = false;
    char first[96], second[96], where[192];
    name_thread(first, sizeof first, earlier.thread);
    name_thread(second, sizeof second, later.thread);
    name_place(where, sizeof where, address);
    report("a race on %s: %s %s it, {at %#x}; %s %s it, {at %#x}; nothing orders them", where, first, earlier_writes ? "wrote" : "read",
           earlier.place, second, later_writes ? "writes" : "reads", later.place);
}

// Calls visit(cell, address) for every cell of an access.
template <class Visit>
void visit_cells(const char* address, std::size_t size, Visit visit) {
    uint64_t key = key_of(address);
    for (std::size_t done = 0; done < size && !block.failed;) {
        Page& page = pages[(key + done) >> 8];
        if (!page.bytewise && ((key | size) & 3)) page.split();
        visit(page.cells[((key + done) & 255) / (page.bytewise ? 1 : 4)], address + done);
        done += page.bytewise ? 1 : 4;
    }
}

void record_write(const char* address, std::size_t size, Access me) {
    bool shared = in_shared(address);
    visit_cells(address, size, [&](Cell& cell, const char* at) {
        bool before = ordered(cell.write, me.strong, shared);
        if (!me.silent) {
            if (!before && !(cell.write.strong && me.strong)) return report_race(at, cell.write, true, me, true);
            if (cell.read.time && !ordered(cell.read, me.strong, shared) && !(cell.read.strong && me.strong))
                return report_race(at, cell.read, false, me, true);
            for (const Access& read : cell.more)
                if (!ordered(read, me.strong, shared) && !(read.strong && me.strong)) return report_race(at, read, false, me, true);
            cell.read.time = 0;
            cell.more.clear();
        }
        if (!me.silent || before) cell.write = me;
    });
}

void record_read(const char* address, std::size_t size, Access me) {
    bool shared = in_shared(address);
    visit_cells(address, size, [&](Cell& cell, const char* at) {
        if (!cell.write.silent && !ordered(cell.write, me.strong, shared) && !(cell.write.strong && me.strong))
            return report_race(at, cell.write, true, me, false);
        if (!cell.read.time || ordered(cell.read, me.strong, shared)) {
            cell.read = me;
            auto over = [&](const Access& read) { return ordered(read, me.strong, shared); };
            cell.more.erase(std::remove_if(cell.more.begin(), cell.more.end(), over), cell.more.end());
        } else if (cell.more.empty() || cell.more.back().thread != me.thread) {
            cell.more.push_back(me);
        }
    });
}

// A write is judged once it has happened, at the next event: only then is it known whether it changed anything.
void settle() {
    if (!pending.open) return;
    pending.open = false;
    pending.access.silent = !memcmp(pending.address, pending.before, std::min(pending.size, sizeof pending.before));
    record_write(pending.address, pending.size, pending.access);
}

}  // namespace

namespace repro {

void accessed(const char* address, std::size_t size, bool write, Kind kind, const void* caller) {
    running = false;
    settle();
    if (!block.failed && (in_shared(address) || in_global(address))) {
        bool strong = kind != Kind::plain;
        Access me{thread_id(), ++now, uint32_t(place(caller)), strong, false};
        if (strong && (!write || kind == Kind::atomic)) own_clock().observed.raise(flags[key_of(address)]);
        if (strong && write) flags[key_of(address)].raise(own_clock().released);
        if (write) {
            pending = {address, size, {}, me, true};
            memcpy(pending.before, address, std::min(size, sizeof pending.before));
        } else {
            record_read(address, size, me);
        }
    }
    if (block.failed) abandon();
    running = true;
}

void on_launch_start() {
    if (pages.size() > most_pages) pages.clear();
    clocks.clear();
    flags.clear();
    pending.open = false;
    launch_time = ++now;
}
void on_launch_end() {}
void on_block_start() {
    if (!block.launch->cooperative) clocks.clear();
    clocks[block_number()].threads = std::vector<ThreadClock>(block.threads);
}
void on_resume() {
    running = true;
    mine = &clocks[block_number()];
}
void on_pause() {
    running = false;
    settle();
}
void on_block_end() {}

void on_barrier() {
    BlockClock& clock = clocks[block_number()];
    clock.barrier_time = ++now;
    for (ThreadClock& thread : clock.threads) {
        clock.observed.raise(thread.observed);
        clock.fenced.raise(thread.fenced);
        thread.observed = thread.fenced = {};
    }
}

// Of all meetings only __syncwarp orders memory.
void on_meeting(const Warp& warp, Mask members, Meeting meeting) {
    if (meeting != Meeting::sync) return;
    ThreadClock* threads = &clocks[block_number()].threads[warp.threads - pool.data()];
    ThreadClock joined;
    ++now;
    for (Mask rest = members; rest; rest &= rest - 1) {
        unsigned lane = __builtin_ctzll(rest);
        for (unsigned other = 0; other < warp.size; ++other) joined.lanes[other] = std::max(joined.lanes[other], threads[lane].lanes[other]);
        joined.lanes[lane] = now;
        joined.observed.raise(threads[lane].observed);
        joined.fenced.raise(threads[lane].fenced);
    }
    for (Mask rest = members; rest; rest &= rest - 1) {
        ThreadClock& thread = threads[__builtin_ctzll(rest)];
        std::copy(joined.lanes, joined.lanes + 64, thread.lanes);
        thread.observed = joined.observed;
        thread.fenced = joined.fenced;
    }
}

void on_fence() {
    running = false;
    settle();
    ThreadClock& own = own_clock();
    own.observed.raise(mine->observed);
    own.fenced = own.observed;
    own.released = own.observed;
    own.released.blocks[block_number()] = mine->barrier_time;
    own.released.threads[thread_id()] = ++now;
    const Warp& warp = warps[self->warp];
    for (unsigned lane = 0; lane < warp.size; ++lane)
        if (own.lanes[lane] && lane != self->lane) {
            uint64_t id = block_number() * block.threads + uint64_t(&warp.threads[lane] - pool.data());
            own.released.threads[id] = std::max(own.released.threads[id], own.lanes[lane]);
        }
    running = true;
}

}  // namespace repro
