// SPDX-License-Identifier: Apache-2.0
// DeviceReplay: one device's part of a replayed history: which blocks were alive when, and how much memory
// was active, allocated, requested and reserved after each entry. Made by replayAllocator(), immutable
// afterwards; read by every view of memory, from any thread.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/memory/block_life.h"
#include "core/memory/segment_history.h"

namespace lockstep {

// The first moment at which a level was at its highest.
struct MemoryPeak {
    MemoryMoment moment = 0;
    MemoryLevels levels; // all of them, at that moment
};

struct MemoryPeaks {
    MemoryPeak active, allocated, requested, reserved;
};

// Why the entry of a moment changes the blocks. Entries that do not: BlockLifeId() and nothing.
struct BlockEvent {
    BlockLifeId life;
    bool isBirth = false, isFreeRequest = false, isFree = false;
};

class DeviceReplay {
  public:
    int32_t device = 0;
    std::vector<uint32_t> rows; // of MemorySnapshot::entries, oldest first: entry i leads to moment i + 1
    BlockLifeTable blocks;
    SegmentHistory segments;
    std::vector<uint32_t> lifeOf; // by entry: row of blocks, or 0xFFFFFFFF
    // Blocks that were handed out again without a free: what ended, by moment.
    std::vector<std::pair<MemoryMoment, uint32_t>> impliedFrees;
    // (life, text) of user metadata set by `annotate`; later ones of a life count. Sorted by life, then time.
    std::vector<std::pair<uint32_t, StringId>> annotations;
    MemoryPeaks peaks;

    MemoryMoment lastMoment() const { return static_cast<MemoryMoment>(rows.size()); }
    // What entry moment - 1 did. moment in [1, lastMoment()].
    BlockEvent eventAt(MemoryMoment moment) const;
    // O(kLevelStride).
    MemoryLevels levelsAt(MemoryMoment moment) const;
    // Calls visit(moment, levels) for every moment of [first, last], in order.
    template<class Visit>
    void forEachMoment(MemoryMoment first, MemoryMoment last, Visit visit) const
    {
        MemoryLevels levels = levelsAt(first);
        visit(first, levels);
        for (MemoryMoment moment = first; moment < last;) {
            apply(++moment, levels);
            visit(moment, levels);
        }
    }
    // The first moment of [first, last] with the most active, or reserved, memory. O(kLevelStride + strides),
    // and O(log changes + changes of segments).
    MemoryPeak activePeakIn(MemoryMoment first, MemoryMoment last) const;
    MemoryPeak reservedPeakIn(MemoryMoment first, MemoryMoment last) const;
    // Active blocks, by row. O(active + blocks / kLifeStride), and of strides with one that stays
    // O(kLifeStride).
    std::vector<BlockLifeId> activeAt(MemoryMoment moment) const;

    // The moment at a time of the report's clock: how many entries are not after it. 0 where the file has no
    // times. Where stamps go back, a row counts from the latest stamp before it on. O(log entries).
    // hint: a moment not after the answer, from which it is found in O(log distance).
    MemoryMoment momentAt(const MemorySnapshot& snapshot, int64_t time_ns, MemoryMoment hint = 0) const;
    // When a moment began, ns of the report's clock: the stamp of its entry; of moment 0 that of the first.
    // Empty where the file has no times.
    std::optional<int64_t> timeOf(const MemorySnapshot& snapshot, MemoryMoment moment) const;

    size_t residentBytes() const;

  private:
    friend class DeviceReplayer;
    static constexpr MemoryMoment kLevelStride = 64;
    static constexpr size_t kLifeStride = 256;

    void apply(MemoryMoment moment, MemoryLevels& levels) const;

    // From one level of m_levels to the next: the first moment of the most active memory.
    struct StridePeak {
        int64_t active = 0;
        MemoryMoment moment = 0;
    };

    void findLastFrees();

    std::vector<StridePeak> m_stridePeaks;
    std::vector<MemoryMoment>
        m_lastFrees;                    // of each kLifeStride lives in order of birth: when the last is freed
    std::vector<MemoryLevels> m_levels; // at moments 0, kLevelStride, 2 * kLevelStride ...
    std::vector<int64_t> m_steadyTimes_ns; // by entry, where stamps go back; else empty
};

} // namespace lockstep
