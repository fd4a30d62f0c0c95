// SPDX-License-Identifier: Apache-2.0
// MemoryLod: how much memory of each of a few groups (what it is for, or the stacks that take most) is active
// at any moment, and at the peak of any range of moments, without a walk through the history: what the lane
// draws from, column by column. Made once with a report's levels of detail, immutable, any thread.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/memory/device_replay.h"
#include "core/memory/memory_category.h"

namespace lockstep {

inline constexpr size_t kMemoryGroups = 8;
using GroupBytes = std::array<int64_t, kMemoryGroups>; // as handed out, by group

// Which group the blocks of a stack are of.
struct MemoryGroups {
    std::vector<uint8_t> ofStacks; // by MemoryStackId
    uint8_t ofNone = kMemoryGroups - 1;
    // By group where each is one stack; empty where groups are categories. The last is the rest: none.
    std::vector<MemoryStackId> stacks;

    uint8_t of(MemoryStackId stack) const { return stack.isValid() ? ofStacks[stack.value] : ofNone; }
};

// A group for each MemoryCategory.
MemoryGroups categoryGroups(const std::vector<MemoryCategory>& categories);
// The kMemoryGroups - 1 stacks whose own memory is ever largest, of equal ones those that come first, in the
// order of their first block, so that what stays lies below what comes and goes; all others and blocks
// without a stack are the last group. O(entries + blocks). Incomplete once `progress` is to stop.
MemoryGroups largestStackGroups(const DeviceReplay& device, size_t stackCount,
                                const Progress& progress = Progress());

// The first moment of a range with the most active memory, and what is active then. The groups add up to
// the active bytes.
struct GroupPeak {
    MemoryMoment moment = 0;
    GroupBytes bytes{};

    int64_t active() const;
    friend bool operator==(const GroupPeak&, const GroupPeak&) = default;
};

class MemoryLod {
  public:
    // Once `progress` is to stop the rest of the history is left out: who asked checks it, and drops the
    // object.
    MemoryLod(const DeviceReplay& device, const MemoryGroups& groups, const Progress& progress = Progress());

    // device: the one that it was made of. Both ends included; first <= last <= lastMoment(). At most three
    // walks over kStride entries, and O(range / kStride) between.
    GroupPeak peakIn(const DeviceReplay& device, MemoryMoment first, MemoryMoment last) const;
    // O(kStride).
    GroupBytes at(const DeviceReplay& device, MemoryMoment moment) const;
    // By group, the most that any moment has.
    const GroupBytes& most() const { return m_most; }
    uint8_t groupOf(BlockLifeId life) const { return m_groupOf[life.value]; }
    size_t residentBytes() const;

  private:
    static constexpr MemoryMoment kStride = 32;

    // Of the moments of one stride.
    struct StridePeak {
        int64_t active = 0;
        MemoryMoment moment = 0;
    };

    void apply(const DeviceReplay& device, MemoryMoment moment, GroupBytes& bytes, int64_t& active) const;
    // Calls visit(moment, bytes, active) for every moment of [first, last] of one stride, in order.
    template<class Visit>
    void walk(const DeviceReplay& device, MemoryMoment first, MemoryMoment last, Visit visit) const;

    std::vector<uint8_t> m_groupOf;  // by row of the device's blocks
    std::vector<GroupBytes> m_sums;  // at moments 0, kStride, 2 * kStride ...
    std::vector<StridePeak> m_peaks; // of the moments from there on to the next
    GroupBytes m_most{};
};

} // namespace lockstep
