// SPDX-License-Identifier: Apache-2.0
// DeviceReplay is the part of a replayed history for one device: which blocks were live when, and how much
// memory was active, allocated, requested and reserved after each entry. Created by replayAllocator();
// immutable afterwards. Read by every memory view. Thread: any.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/memory/block_life.h"
#include "core/memory/segment_history.h"

namespace lockstep {

// MemoryPeak is the first moment at which a level has its highest value.
struct MemoryPeak {
    MemoryMoment moment = 0;
    MemoryLevels levels; // all levels at this moment
};

struct MemoryPeaks {
    MemoryPeak active, allocated, requested, reserved;
};

// BlockEvent is the change that a moment's entry made to a block. For entries without a change, the life is
// invalid and no flag is set.
struct BlockEvent {
    BlockLifeId life;
    bool isAllocation = false, isFreeRequest = false, isFree = false;
};

class DeviceReplay {
  public:
    int32_t device = 0;
    // Rows of MemorySnapshot::entries, oldest first. Entry i leads to moment i + 1.
    std::vector<uint32_t> rows;
    BlockLifeTable blocks;
    SegmentHistory segments;
    std::vector<uint32_t> lifeOf; // row of blocks for each entry; 0xFFFFFFFF: none
    // Blocks whose address was allocated again without a free, as (moment, block that ended), sorted by
    // moment.
    std::vector<std::pair<MemoryMoment, uint32_t>> impliedFrees;
    // User metadata set by `annotate`, as (life, string), sorted by life, then by time. If a life has
    // several, the last one is used.
    std::vector<std::pair<uint32_t, StringId>> annotations;
    MemoryPeaks peaks;

    MemoryMoment lastMoment() const { return static_cast<MemoryMoment>(rows.size()); }
    // Returns the change made by entry moment - 1. moment must be in [1, lastMoment()].
    BlockEvent eventAt(MemoryMoment moment) const;
    // Returns the levels at the given moment. O(kLevelStride).
    MemoryLevels levelsAt(MemoryMoment moment) const;
    // Calls visit(moment, levels) for each moment in [first, last], in order.
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
    // Returns the first moment in [first, last] with the most active memory (the first function) or the most
    // reserved memory (the second). Costs: O(kLevelStride + strides), and O(log changes + changes of
    // segments).
    MemoryPeak activePeakIn(MemoryMoment first, MemoryMoment last) const;
    MemoryPeak reservedPeakIn(MemoryMoment first, MemoryMoment last) const;
    // Returns the rows of the active blocks. O(active + blocks / kLifeStride), plus O(kLifeStride) for each
    // stride that contains a long-lived block.
    std::vector<BlockLifeId> activeAt(MemoryMoment moment) const;

    // Returns the moment at a time on the report's clock, i.e. the number of entries up to that time; 0 if
    // the file has no timestamps. If timestamps go backward, the latest earlier timestamp is used for an
    // entry. hint: a moment not after the result. The result is found in O(log distance) from the hint;
    // without a hint, in O(log entries).
    MemoryMoment momentAt(const MemorySnapshot& snapshot, int64_t time_ns, MemoryMoment hint = 0) const;
    // Returns the start of a moment in ns on the report's clock. This is the timestamp of its entry; for
    // moment 0, that of the first entry. nullopt if the file has no timestamps.
    std::optional<int64_t> timeOf(const MemorySnapshot& snapshot, MemoryMoment moment) const;

    size_t residentBytes() const;

  private:
    friend class DeviceReplayer;
    // Checkpoints: levels are stored for every kLevelStride-th moment, and peaks for the strides between
    // them. A query replays at most the strides at the ends of its range.
    static constexpr MemoryMoment kLevelStride = 64;
    static constexpr size_t kLifeStride = 256;

    void apply(MemoryMoment moment, MemoryLevels& levels) const;

    // The first moment with the most active memory between two consecutive levels in m_levels.
    struct StridePeak {
        int64_t active = 0;
        MemoryMoment moment = 0;
    };

    void findLastFrees();

    std::vector<StridePeak> m_stridePeaks;
    std::vector<MemoryMoment>
        m_lastFrees; // for each run of kLifeStride blocks in order of allocation, the moment of the last free
    std::vector<MemoryLevels> m_levels;    // levels at moments 0, kLevelStride, 2 * kLevelStride ...
    std::vector<int64_t> m_steadyTimes_ns; // times by entry, used only if timestamps go backward; otherwise
                                           // empty
};

} // namespace lockstep
