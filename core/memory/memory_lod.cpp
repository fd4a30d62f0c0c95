// SPDX-License-Identifier: Apache-2.0
#include "core/memory/memory_lod.h"

#include <algorithm>
#include <numeric>

#include "core/memory/allocations.h"
#include "core/memory/replay_watch.h"

namespace lockstep {

static_assert(kMemoryGroups == static_cast<size_t>(MemoryCategory::count));

MemoryGroups categoryGroups(const std::vector<MemoryCategory>& categories)
{
    MemoryGroups out;
    out.ofNone = static_cast<uint8_t>(MemoryCategory::noStack);
    out.ofStacks.reserve(categories.size());
    for (const MemoryCategory category : categories)
        out.ofStacks.push_back(static_cast<uint8_t>(category));
    return out;
}

MemoryGroups largestStackGroups(const DeviceReplay& device, size_t stackCount, const Progress& progress)
{
    std::vector<StackUse> uses = stackUses(device, progress);
    std::erase_if(uses, [](const StackUse& use) { return !use.stack.isValid(); });
    std::ranges::stable_sort(uses, [](const StackUse& a, const StackUse& b) {
        return a.most_bytes != b.most_bytes ? a.most_bytes > b.most_bytes : a.stack < b.stack;
    });
    uses.resize(std::min(uses.size(), kMemoryGroups - 1));
    constexpr auto kRest = static_cast<uint8_t>(kMemoryGroups - 1);
    MemoryGroups out;
    out.ofStacks.assign(stackCount, kRest);
    std::vector<bool> isChosen(stackCount, false);
    for (const StackUse& use : uses)
        isChosen[use.stack.value] = true;
    for (const MemoryStackId stack : device.blocks.stack) {
        if (!stack.isValid() || !isChosen[stack.value]) continue;
        isChosen[stack.value] = false;
        out.ofStacks[stack.value] = static_cast<uint8_t>(out.stacks.size());
        out.stacks.push_back(stack);
    }
    return out;
}

int64_t GroupPeak::active() const
{
    return std::accumulate(bytes.begin(), bytes.end(), int64_t(0));
}

MemoryLod::MemoryLod(const DeviceReplay& device, const MemoryGroups& groups, const Progress& progress)
{
    const BlockLifeTable& blocks = device.blocks;
    GroupBytes bytes{};
    m_groupOf.reserve(blocks.size());
    for (size_t life = 0; life < blocks.size(); ++life) {
        m_groupOf.push_back(groups.of(blocks.stack[life]));
        if (blocks.isActiveAt(life, 0))
            bytes[m_groupOf[life]] += static_cast<int64_t>(blocks.size_bytes[life]);
    }
    int64_t active = std::accumulate(bytes.begin(), bytes.end(), int64_t(0));
    ReplayWatch watch(progress, 0);
    for (MemoryMoment moment = 0;; ++moment) {
        if (watch.advanceAndCheckStop()) break;
        if (moment > 0) apply(device, moment, bytes, active);
        if (moment % kStride == 0) {
            m_sums.push_back(bytes);
            m_peaks.push_back({active, moment});
        } else if (active > m_peaks.back().active) {
            m_peaks.back() = {active, moment};
        }
        for (size_t group = 0; group < kMemoryGroups; ++group)
            m_most[group] = std::max(m_most[group], bytes[group]);
        if (moment == device.lastMoment()) break;
    }
    m_sums.shrink_to_fit();
    m_peaks.shrink_to_fit();
}

void MemoryLod::apply(const DeviceReplay& device, MemoryMoment moment, GroupBytes& bytes,
                      int64_t& active) const
{
    const auto add = [&](uint32_t life, int64_t sign) {
        const int64_t size = sign * static_cast<int64_t>(device.blocks.size_bytes[life]);
        bytes[m_groupOf[life]] += size;
        active += size;
    };
    const BlockEvent event = device.eventAt(moment);
    if (!event.life.isValid()) return;
    if (!event.isAllocation) {
        if (event.isFree) add(event.life.value, -1);
        return;
    }
    add(event.life.value, 1);
    using Implied = std::pair<MemoryMoment, uint32_t>;
    for (const auto& [when, ended] :
         std::ranges::equal_range(device.impliedFrees, moment, {}, &Implied::first)) {
        if (device.blocks.freed[ended] == moment) add(ended, -1);
    }
}

template<class Visit>
void MemoryLod::walk(const DeviceReplay& device, MemoryMoment first, MemoryMoment last, Visit visit) const
{
    MemoryMoment moment = first - first % kStride;
    GroupBytes bytes = m_sums[moment / kStride];
    int64_t active = std::accumulate(bytes.begin(), bytes.end(), int64_t(0));
    for (;; apply(device, ++moment, bytes, active)) {
        if (moment >= first) visit(moment, bytes, active);
        if (moment == last) return;
    }
}

GroupPeak MemoryLod::peakIn(const DeviceReplay& device, MemoryMoment first, MemoryMoment last) const
{
    GroupPeak peak;
    int64_t most = -1; // lower than any level
    bool isKnown = false;
    const auto visit = [&](MemoryMoment moment, const GroupBytes& bytes, int64_t active) {
        if (active <= most) return;
        most = active;
        peak = {moment, bytes};
        isKnown = true;
    };
    const MemoryMoment lastStride = last / kStride;
    for (MemoryMoment stride = first / kStride; stride <= lastStride; ++stride) {
        const MemoryMoment begin = stride * kStride;
        const MemoryMoment end = std::min(begin + (kStride - 1), device.lastMoment());
        if (begin < first || end > last) {
            walk(device, std::max(begin, first), std::min(end, last), visit);
        } else if (m_peaks[stride].active > most) {
            most = m_peaks[stride].active;
            peak.moment = m_peaks[stride].moment;
            isKnown = false;
        }
    }
    if (!isKnown) peak.bytes = at(device, peak.moment);
    return peak;
}

GroupBytes MemoryLod::at(const DeviceReplay& device, MemoryMoment moment) const
{
    GroupBytes out{};
    walk(device, moment, moment, [&](MemoryMoment, const GroupBytes& bytes, int64_t) { out = bytes; });
    return out;
}

size_t MemoryLod::residentBytes() const
{
    return m_groupOf.capacity() + m_sums.capacity() * sizeof(GroupBytes) +
           m_peaks.capacity() * sizeof(StridePeak);
}

} // namespace lockstep
