// SPDX-License-Identifier: Apache-2.0
// MemoryLod returns the active memory of each of a few groups (categories, or the largest stacks) without
// replaying the history. It does so for any moment, and for the peak of any range of moments. The memory lane
// draws each column from it. Created once, together with a report's levels of detail. Immutable. Thread: any.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/memory/device_replay.h"
#include "core/memory/memory_category.h"

namespace lockstep {

inline constexpr size_t kMemoryGroups = 8;
using GroupBytes = std::array<int64_t, kMemoryGroups>; // allocated bytes by group

// MemoryGroups assigns stacks to groups.
struct MemoryGroups {
    std::vector<uint8_t> ofStacks; // group by MemoryStackId
    uint8_t ofNone = kMemoryGroups - 1;
    // The stack of each group; empty if groups are categories. The last group is the rest and has no stack.
    std::vector<MemoryStackId> stacks;

    uint8_t of(MemoryStackId stack) const { return stack.isValid() ? ofStacks[stack.value] : ofNone; }
};

// Returns one group per MemoryCategory.
MemoryGroups categoryGroups(const std::vector<MemoryCategory>& categories);
// Returns the kMemoryGroups - 1 stacks with the largest individual peaks; ties: the stacks that come first.
// They are ordered by their first block, so that long-lived memory is drawn at the bottom. The last group
// contains all other stacks and the blocks without a stack. O(entries + blocks). Incomplete if `progress` is
// canceled.
MemoryGroups largestStackGroups(const DeviceReplay& device, size_t stackCount,
                                const Progress& progress = Progress());

// GroupPeak is the first moment in a range with the most active memory, with the active bytes of each group.
// The bytes of all groups add up to the total.
struct GroupPeak {
    MemoryMoment moment = 0;
    GroupBytes bytes{};

    int64_t active() const;
    friend bool operator==(const GroupPeak&, const GroupPeak&) = default;
};

// Checkpoints: the history is divided into strides of kStride moments, with the sums at the first moment and
// the peak of each stride. A query compares the stored peaks of complete strides, and replays only the
// strides at the ends of its range and the one with the peak.
class MemoryLod {
  public:
    // Builds the index. If `progress` is canceled, the rest of the history is skipped; the caller must check
    // for this and discard the object.
    MemoryLod(const DeviceReplay& device, const MemoryGroups& groups, const Progress& progress = Progress());

    // Returns the peak in [first, last]. device: the device for which the index was built; first <= last <=
    // lastMoment(). Costs at most three passes over kStride entries, plus O(range / kStride).
    GroupPeak peakIn(const DeviceReplay& device, MemoryMoment first, MemoryMoment last) const;
    // Returns the bytes by group at the given moment. O(kStride).
    GroupBytes at(const DeviceReplay& device, MemoryMoment moment) const;
    // Returns the highest value for each group over all moments.
    const GroupBytes& most() const { return m_most; }
    uint8_t groupOf(BlockLifeId life) const { return m_groupOf[life.value]; }
    size_t residentBytes() const;

  private:
    static constexpr MemoryMoment kStride = 32;

    // Peak of one stride.
    struct StridePeak {
        int64_t active = 0;
        MemoryMoment moment = 0;
    };

    void apply(const DeviceReplay& device, MemoryMoment moment, GroupBytes& bytes, int64_t& active) const;
    // Calls visit(moment, bytes, active) for each moment in [first, last] within one stride, in order.
    template<class Visit>
    void walk(const DeviceReplay& device, MemoryMoment first, MemoryMoment last, Visit visit) const;

    std::vector<uint8_t> m_groupOf;  // group by row of the device's blocks
    std::vector<GroupBytes> m_sums;  // bytes by group at moments 0, kStride, 2 * kStride ...
    std::vector<StridePeak> m_peaks; // peak of each stride
    GroupBytes m_most{};
};

} // namespace lockstep
