// SPDX-License-Identifier: Apache-2.0
// ThreadLane is the state of one thread of the program: its ring, the strings that it sent before, and the
// nesting depth of its ranges. Created on the first call of a thread, and reused for another thread once the
// first thread has ended and all its records are written. Nothing here allocates from the program's heap,
// because a signal handler may have interrupted an allocation.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "capture/inject/name_registry.h"
#include "capture/inject/thread_ring.h"

namespace lockstep::capture {

class Recorder;

// A string of the program: either bytes that are valid during the call, or a registered string.
struct TextArgument {
    std::string_view bytes;
    const RegisteredText* registered = nullptr;

    std::string_view view() const noexcept { return registered != nullptr ? registered->view() : bytes; }
};

// One call, as recorded by a hook.
struct LaneRecord {
    uint8_t kind = 0; // LockstepSpoolKind
    uint32_t domain = 0;
    int64_t time_ns = 0;
    TextArgument text;
    const RingExtension* extension = nullptr;
    const uint64_t* number = nullptr;
};

// Counts lost records. Any thread may add to it. The total never decreases: each reader remembers the total
// that it last reported, so neither side resets a value that the other side reads.
struct LaneLosses {
    std::atomic<uint64_t> total{0};
    std::atomic<int64_t> first_ns{0}; // start of the current gap; 0 = the next loss begins one
    std::atomic<int64_t> last_ns{0};

    void add(int64_t time_ns) noexcept
    {
        int64_t none = 0;
        first_ns.compare_exchange_strong(none, time_ns, std::memory_order_relaxed);
        last_ns.store(time_ns, std::memory_order_relaxed);
        total.fetch_add(1, std::memory_order_release);
    }
};

enum class LaneState : uint32_t { free, taken, ended };

class ThreadLane {
  public:
    static constexpr uint32_t kSlots = 1024; // number of remembered strings
    // Maximum length in bytes of remembered strings; longer strings are sent each time.
    static constexpr uint32_t kLongestSlot = 2048;
    static constexpr uint32_t kDepths = 64; // number of domains whose depth is returned to the program
    static constexpr uint32_t kSmallestRing = 16 * 1024;
    static constexpr uint32_t kLargestRing = 4 * 1024 * 1024;

    // Creates a lane. Returns nullptr if the system is out of memory.
    static ThreadLane* map(uint32_t ring_bytes) noexcept;
    static void unmap(ThreadLane* lane) noexcept;

    // Assigns the lane to the calling thread and clears its state.
    void begin(Recorder* owner, int64_t tid) noexcept;
    // Must precede everything that a call of the program does with its lane; leave() ends it. Returns false
    // if a signal handler made the call while this thread was between enter() and leave(). In that case only
    // `lostInHandlers` of the lane may be used. `frame`: an address in the stack frame of the caller.
    bool enter(const void* frame) noexcept
    {
        const auto address = reinterpret_cast<uintptr_t>(frame);
        const uintptr_t user = m_user.load(std::memory_order_relaxed);
        if (user != 0 && !isAbandoned(user, address)) return false;
        m_user.store(address, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        return true;
    }
    void leave() noexcept
    {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        m_user.store(0, std::memory_order_relaxed);
    }
    // Adds a record. Call this function on the thread of the lane. Returns false if the record is lost (which
    // is counted).
    bool record(const LaneRecord& record) noexcept;

    std::atomic<LaneState> state{LaneState::free};
    std::atomic<Recorder*> owner{nullptr};
    std::atomic<int64_t> tid{0};
    std::atomic<uint64_t> generation{0}; // number of threads that used the lane
    std::atomic<int64_t> end_ns{0};      // time at which the thread ended; set before `state`
    LaneLosses losses;
    LaneLosses lostInHandlers;
    std::atomic<bool> isGivenUp{
        false}; // the ring is corrupt, so the thread uses another lane, and this lane is not reused
    ThreadRing ring;
    uint32_t depths[kDepths] = {}; // indexed by domain
    uint32_t openTriggers = 0;     // number of open ranges that were reported to the gate

  private:
    struct Slot {
        uint64_t low = 0, high = 0; // 128-bit XXH3 hash
    };

    bool encodeText(const TextArgument& text, RingRecord& head, uint64_t& word, HeapText** heap) noexcept;
    uint8_t* roomFor(uint32_t bytes) noexcept;
    bool markGap() noexcept;
    static bool isAbandoned(uintptr_t user, uintptr_t frame) noexcept;

    uint64_t m_marked = 0;            // the number of losses that the ring already records
    std::atomic<uintptr_t> m_user{0}; // stack frame of the call that is between enter() and leave(); 0 = none
    Slot m_slots[kSlots];
};

// LaneTable holds the lanes of a process and limits the memory that lanes, long strings and GPU buffers
// share. Any thread may allocate from it, without a lock.
class LaneTable {
  public:
    static constexpr uint32_t kMax = 4096;
    static constexpr uint32_t kMaxLong =
        4096; // Linux limits the number of memory mappings of a process, to 65,530 by default

    explicit LaneTable(uint64_t limit_bytes) : m_limit(limit_bytes) {}

    uint32_t count() const noexcept;
    ThreadLane* at(uint32_t index) const noexcept { return m_lanes[index].load(std::memory_order_acquire); }
    // Returns a lane whose thread has ended and whose records are all written, otherwise a new lane. Returns
    // nullptr if there is no room.
    ThreadLane* take(Recorder* owner, int64_t tid) noexcept;

    // Returns true if lanes of ended threads have not been drained yet.
    bool hasEnded() const noexcept;

    // Reserves that much memory. Returns false if that would exceed the limit.
    bool useMemory(uint64_t size_bytes) noexcept;
    void releaseBytes(uint64_t size_bytes) noexcept { m_used.fetch_sub(size_bytes); }
    // Copies the string to its own memory mapping. At most kMaxLong copies may exist at a time. Returns
    // nullptr if there is no room.
    HeapText* copyLong(std::string_view text) noexcept;
    void freeLong(HeapText* text) noexcept;

    LaneLosses noRing; // records of threads that have no lane for lack of room

  private:
    uint32_t nextRing_bytes() const noexcept;

    const uint64_t m_limit;
    std::atomic<uint64_t> m_used{0};
    std::atomic<uint32_t> m_longTexts{0};
    std::atomic<uint32_t> m_count{0};
    std::atomic<ThreadLane*> m_lanes[kMax] = {};
};

} // namespace lockstep::capture
