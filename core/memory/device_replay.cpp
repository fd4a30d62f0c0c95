// SPDX-License-Identifier: Apache-2.0
#include "core/memory/device_replay.h"

#include <algorithm>

namespace lockstep {

namespace {

constexpr uint32_t kNoBlockChange = 0xFFFFFFFFu; // an entry that changes no block

} // namespace

size_t BlockLifeTable::residentBytes() const
{
    return (address.capacity() + requested_bytes.capacity() + size_bytes.capacity()) * sizeof(uint64_t) +
           (allocated.capacity() + freeRequested.capacity() + freed.capacity() + stack.capacity() +
            dumpBlock.capacity()) *
               sizeof(uint32_t) +
           flags.capacity();
}

BlockEvent DeviceReplay::eventAt(MemoryMoment moment) const
{
    BlockEvent event;
    const uint32_t life = lifeOf[moment - 1];
    if (life == kNoBlockChange) return event;
    event.life = BlockLifeId(life);
    event.isAllocation = blocks.allocated[life] == moment;
    event.isFreeRequest = blocks.freeRequested[life] == moment;
    event.isFree = blocks.freed[life] == moment;
    return event;
}

void DeviceReplay::apply(MemoryMoment moment, MemoryLevels& levels) const
{
    const auto release = [&](uint32_t life) {
        if (blocks.freeRequested[life] == moment)
            levels.allocated -= static_cast<int64_t>(blocks.size_bytes[life]);
        if (blocks.freed[life] != moment) return;
        levels.active -= static_cast<int64_t>(blocks.size_bytes[life]);
        levels.requested -= static_cast<int64_t>(blocks.requested_bytes[life]);
    };
    const uint32_t life = lifeOf[moment - 1];
    if (segments.isFromTotals) levels.reserved = segments.reservedAt(moment);
    if (life != kNoBlockChange) {
        if (blocks.allocated[life] == moment) {
            levels.active += static_cast<int64_t>(blocks.size_bytes[life]);
            levels.allocated += static_cast<int64_t>(blocks.size_bytes[life]);
            levels.requested += static_cast<int64_t>(blocks.requested_bytes[life]);
            const auto implied =
                std::ranges::equal_range(impliedFrees, moment, {}, &std::pair<MemoryMoment, uint32_t>::first);
            for (const auto& [when, ended] : implied)
                release(ended);
        } else {
            release(life);
        }
        return;
    }
    levels.reserved = segments.reservedAt(moment);
}

MemoryLevels DeviceReplay::levelsAt(MemoryMoment moment) const
{
    const MemoryMoment begin = moment / kLevelStride;
    MemoryLevels levels = m_levels[begin];
    for (MemoryMoment at = begin * kLevelStride; at < moment;)
        apply(++at, levels);
    return levels;
}

MemoryPeak DeviceReplay::activePeakIn(MemoryMoment first, MemoryMoment last) const
{
    MemoryPeak peak{first, levelsAt(first)};
    MemoryLevels levels = peak.levels;
    int64_t best = peak.levels.active;
    bool isBehind = false; // the levels belong to an earlier moment
    for (MemoryMoment moment = first; moment < last;) {
        const MemoryMoment stride = (moment + 1) / kLevelStride;
        if ((moment + 1) % kLevelStride == 0 && last - moment > kLevelStride) { // skips an entire stride
            if (m_stridePeaks[stride].active > best) {
                best = m_stridePeaks[stride].active;
                peak.moment = m_stridePeaks[stride].moment;
            }
            moment += kLevelStride;
            isBehind = true;
            continue;
        }
        if (isBehind) levels = levelsAt(moment);
        isBehind = false;
        apply(++moment, levels);
        if (levels.active <= best) continue;
        best = levels.active;
        peak.moment = moment;
    }
    peak.levels = levelsAt(peak.moment);
    return peak;
}

MemoryPeak DeviceReplay::reservedPeakIn(MemoryMoment first, MemoryMoment last) const
{
    using Change = std::pair<MemoryMoment, int64_t>;
    MemoryMoment best = first;
    int64_t most = segments.reservedAt(first);
    auto change = std::ranges::upper_bound(segments.reserved_bytes, first, {}, &Change::first);
    for (; change != segments.reserved_bytes.end() && change->first <= last; ++change) {
        if (change->second <= most) continue;
        most = change->second;
        best = change->first;
    }
    return {best, levelsAt(best)};
}

std::vector<BlockLifeId> DeviceReplay::activeAt(MemoryMoment moment) const
{
    std::vector<BlockLifeId> out;
    // Rows are in order of allocation.
    const auto end = std::ranges::upper_bound(blocks.allocated, moment) - blocks.allocated.begin();
    for (size_t stride = 0; stride * kLifeStride < static_cast<size_t>(end); ++stride) {
        if (m_lastFrees[stride] <= moment) continue;
        const size_t last = std::min(static_cast<size_t>(end), (stride + 1) * kLifeStride);
        for (size_t life = stride * kLifeStride; life < last; ++life) {
            if (blocks.freed[life] > moment) out.emplace_back(life);
        }
    }
    return out;
}

void DeviceReplay::findLastFrees()
{
    m_lastFrees.assign((blocks.size() + kLifeStride - 1) / kLifeStride, 0);
    for (size_t life = 0; life < blocks.size(); ++life)
        m_lastFrees[life / kLifeStride] = std::max(m_lastFrees[life / kLifeStride], blocks.freed[life]);
}

MemoryMoment DeviceReplay::momentAt(const MemorySnapshot& snapshot, int64_t time_ns, MemoryMoment hint) const
{
    if (snapshot.entries.time_ns.empty()) return 0;
    const int64_t* const steady_ns = m_steadyTimes_ns.empty() ? nullptr : m_steadyTimes_ns.data();
    const int64_t* const times_ns = snapshot.entries.time_ns.data();
    const auto isAfter = [&](size_t entry) {
        return (steady_ns != nullptr ? steady_ns[entry] : times_ns[rows[entry]]) > time_ns;
    };
    // Exponential (galloping) search. Invariant: no entry before `low` is later than the time; the entry at
    // `high` is later, or does not exist.
    size_t low = std::min<size_t>(hint, rows.size()), high = low;
    for (size_t step = 1; high < rows.size() && !isAfter(high); step *= 2) {
        low = high + 1;
        high = std::min(rows.size(), low + step);
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (isAfter(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return static_cast<MemoryMoment>(low);
}

std::optional<int64_t> DeviceReplay::timeOf(const MemorySnapshot& snapshot, MemoryMoment moment) const
{
    const auto& times_ns = snapshot.entries.time_ns;
    if (times_ns.empty() || rows.empty()) return std::nullopt;
    const size_t entry = moment == 0 ? 0 : moment - 1;
    return m_steadyTimes_ns.empty() ? times_ns[rows[entry]] : m_steadyTimes_ns[entry];
}

size_t DeviceReplay::residentBytes() const
{
    return blocks.residentBytes() + segments.residentBytes() +
           (rows.capacity() + lifeOf.capacity()) * sizeof(uint32_t) +
           (impliedFrees.capacity() + annotations.capacity()) * 2 * sizeof(uint32_t) +
           m_levels.capacity() * sizeof(MemoryLevels) + m_stridePeaks.capacity() * sizeof(StridePeak) +
           m_lastFrees.capacity() * sizeof(MemoryMoment) + m_steadyTimes_ns.capacity() * sizeof(int64_t);
}

} // namespace lockstep
