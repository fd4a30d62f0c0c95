// SPDX-License-Identifier: Apache-2.0
// ThreadLane: what the library keeps for one thread of the program: its ring, the texts it sent before, how
// deep its ranges are nested. Made on a thread's first call, handed to another thread once it ended and all
// was written. Nothing here allocates from the program's heap, which a signal handler may have interrupted.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "capture/inject/named_things.h"
#include "capture/inject/thread_ring.h"

namespace lockstep::capture {

class Recorder;

// A text of the program: bytes that last for the call, or a registered one.
struct TextArgument {
    std::string_view bytes;
    const RegisteredText* registered = nullptr;

    std::string_view view() const noexcept { return registered != nullptr ? registered->view() : bytes; }
};

// One call, as a hook took it down.
struct LaneRecord {
    uint8_t kind = 0; // LockstepSpoolKind
    uint32_t domain = 0;
    int64_t time_ns = 0;
    TextArgument text;
    const RingExtension* extension = nullptr;
    const uint64_t* number = nullptr;
};

// Counts records that were lost. Any thread may add. The total never falls: readers keep the total that they
// reported last, so neither side resets what the other one reads.
struct LaneLosses {
    std::atomic<uint64_t> total{0};
    std::atomic<int64_t> first_ns{0}; // of the current gap; 0: the next loss begins one
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
    static constexpr uint32_t kSlots = 1024;       // texts remembered
    static constexpr uint32_t kLongestSlot = 2048; // bytes; longer ones are sent each time
    static constexpr uint32_t kDepths = 64;        // domains whose depth is told to the program
    static constexpr uint32_t kSmallestRing = 16 * 1024;
    static constexpr uint32_t kLargestRing = 4 * 1024 * 1024;

    // nullptr when the system has no memory.
    static ThreadLane* map(uint32_t ring_bytes) noexcept;
    static void unmap(ThreadLane* lane) noexcept;

    // The calling thread takes the lane over, emptied of what it knew.
    void begin(Recorder* owner, int64_t tid) noexcept;
    // Around everything that a call of the program does with its lane. False when a signal handler made the
    // call while this thread was between enter() and leave(): then nothing of the lane may be touched but
    // `lostInHandlers`. `frame`: an address in the caller's stack frame.
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
    // The calling thread's; false when the record is lost (and counted).
    bool record(const LaneRecord& record) noexcept;

    std::atomic<LaneState> state{LaneState::free};
    std::atomic<Recorder*> owner{nullptr};
    std::atomic<int64_t> tid{0};
    std::atomic<uint64_t> generation{0}; // counts its threads
    std::atomic<int64_t> end_ns{0};      // when its thread ended; set before `state`
    LaneLosses losses;
    LaneLosses lostInHandlers;
    std::atomic<bool> isGivenUp{
        false}; // its ring is damaged: its thread takes another lane, nobody takes this one
    ThreadRing ring;
    uint32_t depths[kDepths] = {}; // by domain
    uint32_t openTriggers = 0;     // of its open ranges, those that the gate was told of

  private:
    struct Slot {
        uint64_t low = 0, high = 0; // XXH3, 128 bits
    };

    bool putText(const TextArgument& text, RingRecord& head, uint64_t& word, HeapText** heap) noexcept;
    uint8_t* roomFor(uint32_t bytes) noexcept;
    bool markGap() noexcept;
    static bool isAbandoned(uintptr_t user, uintptr_t frame) noexcept;

    uint64_t m_marked = 0;            // total of `losses` that the ring already mentions
    std::atomic<uintptr_t> m_user{0}; // the frame that is between enter() and leave(); 0 none
    Slot m_slots[kSlots];
};

} // namespace lockstep::capture
