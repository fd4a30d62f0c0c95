// SPDX-License-Identifier: Apache-2.0
// AllocatorReplay: the history of a memory snapshot played back, device by device: which blocks were alive
// when, and how much memory was active, allocated, requested and reserved after each entry. Made by
// replayAllocator() on a worker, immutable and shared afterwards; read by the layout, the tables of
// allocations, leaks and fragmentation, and the analyses memory_*.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/memory/allocator_rules.h"
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
    // Levels at moments that are asked for in rising order: near ones cost what lies between them.
    class LevelCursor {
      public:
        explicit LevelCursor(const DeviceReplay& device) : m_device(device), m_levels(device.levelsAt(0)) {}

        // moment not below the last one.
        const MemoryLevels& goTo(MemoryMoment moment)
        {
            if (moment - m_moment > kLevelStride) {
                m_levels = m_device.levelsAt(moment);
                m_moment = moment;
            }
            while (m_moment < moment)
                m_device.apply(++m_moment, m_levels);
            return m_levels;
        }

      private:
        const DeviceReplay& m_device;
        MemoryMoment m_moment = 0;
        MemoryLevels m_levels;
    };
    // Active blocks, by row. O(blocks).
    std::vector<BlockLifeId> activeAt(MemoryMoment moment) const;

    // The moment at a time of the report's clock: how many entries are not after it. 0 where the file has no
    // times. Where stamps go back, a row counts from the latest stamp before it on. O(log entries).
    MemoryMoment momentAt(const MemorySnapshot& snapshot, int64_t time_ns) const;
    // When a moment began, ns of the report's clock: the stamp of its entry; of moment 0 that of the first.
    // Empty where the file has no times.
    std::optional<int64_t> timeOf(const MemorySnapshot& snapshot, MemoryMoment moment) const;

    size_t residentBytes() const;

  private:
    friend class DeviceReplayer;
    static constexpr MemoryMoment kLevelStride = 1024;

    void apply(MemoryMoment moment, MemoryLevels& levels) const;

    std::vector<MemoryLevels> m_levels;    // at moments 0, kLevelStride, 2 * kLevelStride ...
    std::vector<int64_t> m_steadyTimes_ns; // by entry, where stamps go back; else empty
};

struct AllocatorReplay {
    std::shared_ptr<const MemorySnapshot> snapshot;
    AllocatorRules rules;
    std::vector<DeviceReplay> devices; // as MemorySnapshot::devices
    ImportNotes notes;                 // what did not fit together, and what was made of it

    // nullptr when the snapshot knows no such device.
    const DeviceReplay* deviceNumbered(int32_t device) const;
    // {0, 0}: the default pool. From the entry where it says, else from the dump's segment that holds the
    // block; empty where neither says. O(segments of the dump).
    std::optional<std::array<uint64_t, 2>> poolOf(const DeviceReplay& device, BlockLifeId life) const;
    // cudaStream_t of the stream that it was allocated for. Empty where nothing says.
    std::optional<uint64_t> streamOf(const DeviceReplay& device, BlockLifeId life) const;
    // The user's words for it, and the frame of torch.compile it was allocated in; StringId(0): none.
    StringId metadataOf(const DeviceReplay& device, BlockLifeId life) const;
    StringId compileContextOf(const DeviceReplay& device, BlockLifeId life) const;
    // The row of MemorySnapshot::entries that allocated it; empty for blocks from before the history.
    std::optional<uint32_t> entryOf(const DeviceReplay& device, BlockLifeId life) const;
    size_t residentBytes() const; // without the snapshot
};

// O(n log n) for n entries. canceled is the only error: flaws of the file are counted in notes. Of a block
// that was handed out before the history and freed in it, the file says what was asked for, not what was
// handed out: see blockFlag::kSizeGuessed. Everything else is exact, as torch.cuda.memory_stats counts it.
Result<AllocatorReplay> replayAllocator(std::shared_ptr<const MemorySnapshot> snapshot,
                                        const AllocatorRules& rules, const Progress& progress);
// Of a report that has a snapshot, with the rules its facts state. invalid: it has none.
Result<AllocatorReplay> replayAllocator(const Report& report, const Progress& progress);

} // namespace lockstep
