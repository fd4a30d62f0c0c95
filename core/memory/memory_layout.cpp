// SPDX-License-Identifier: Apache-2.0
#include "core/memory/memory_layout.h"

#include <algorithm>

namespace lockstep {

namespace {

using Level = int64_t MemoryLevels::*;
using PeakIn = MemoryPeak (DeviceReplay::*)(MemoryMoment, MemoryMoment) const;

// Fills `moments` and `levels` with the time and the height of each column's peak.
void findShownMoments(const DeviceReplay& device, const std::vector<MemoryColumn>& columns, PeakIn peakIn,
                      MemoryLayout& out)
{
    out.moments.reserve(columns.size());
    out.levels.reserve(columns.size());
    for (const MemoryColumn& column : columns) {
        const MemoryMoment first = std::min(column.first, device.lastMoment());
        const MemoryMoment last = std::clamp(column.last, first, device.lastMoment());
        const MemoryPeak peak = (device.*peakIn)(first, last);
        out.moments.push_back(peak.moment);
        out.levels.push_back(peak.levels);
    }
}

uint32_t columnOf(const MemoryLayout& layout, MemoryMoment moment)
{
    return static_cast<uint32_t>(std::ranges::lower_bound(layout.moments, moment) - layout.moments.begin());
}

std::vector<int64_t> totalsOf(const MemoryLayout& layout, Level level)
{
    std::vector<int64_t> out;
    out.reserve(layout.levels.size());
    for (const MemoryLevels& levels : layout.levels)
        out.push_back(levels.*level);
    return out;
}

} // namespace

Result<MemoryLayout> layOutMemory(const DeviceReplay& device, const MemoryLayoutRequest& request,
                                  const std::vector<MemoryCategory>& categories, const Progress& progress)
{
    MemoryLayout out;
    if (request.columns.empty()) return out;
    findShownMoments(device, request.columns, &DeviceReplay::activePeakIn, out);
    LOCKSTEP_TRY(progress.check());
    const BlockLifeTable& blocks = device.blocks;
    std::vector<ColumnSpan> spans;
    uint32_t column = 0;
    for (uint32_t life = 0; life < blocks.size(); ++life) { // in order of allocation
        while (column < out.moments.size() && out.moments[column] < blocks.born[life])
            ++column;
        if (column == out.moments.size()) break;
        if (blocks.freed[life] <= out.moments[column]) continue; // not visible in any column
        ColumnSpan span{life, life, column, columnOf(out, blocks.freed[life]),
                        static_cast<int64_t>(blocks.size_bytes[life])};
        const MemoryStackId stack = blocks.stack[life];
        if (request.by == MemoryGrouping::stack) span.group = stack.isValid() ? stack.value : kNoStackKey;
        if (request.by == MemoryGrouping::category)
            span.group = span.order = static_cast<uint32_t>(categoryOf(categories, stack));
        spans.push_back(span);
    }
    LOCKSTEP_TRY(progress.check());
    out.stack = stackAreas(std::move(spans), totalsOf(out, &MemoryLevels::active), request.limits);
    return out;
}

Result<MemoryLayout> layOutSegments(const DeviceReplay& device, const MemoryLayoutRequest& request,
                                    const Progress& progress)
{
    MemoryLayout out;
    if (request.columns.empty()) return out;
    findShownMoments(device, request.columns, &DeviceReplay::reservedPeakIn, out);
    LOCKSTEP_TRY(progress.check());
    std::vector<ColumnSpan> spans;
    for (uint32_t life = 0; life < device.segments.lives.size(); ++life) {
        const SegmentLife& segment = device.segments.lives[life];
        const ColumnSpan span{life, segment.born, columnOf(out, segment.born), columnOf(out, segment.freed),
                              static_cast<int64_t>(segment.size_bytes)};
        if (span.begin < span.end) spans.push_back(span);
    }
    out.stack = stackAreas(std::move(spans), totalsOf(out, &MemoryLevels::reserved), request.limits);
    return out;
}

Result<MemoryLayout> layOutUnused(const DeviceReplay& device, const MemoryLayoutRequest& request,
                                  const Progress& progress)
{
    MemoryLayout out;
    const auto columns = static_cast<uint32_t>(request.columns.size());
    for (const MemoryColumn& column : request.columns) {
        LOCKSTEP_TRY(progress.check());
        const MemoryMoment first = std::min(column.first, device.lastMoment());
        const MemoryMoment last = std::clamp(column.last, first, device.lastMoment());
        MemoryPeak most{first, device.levelsAt(first)};
        device.forEachMoment(first, last, [&](MemoryMoment moment, const MemoryLevels& levels) {
            if (levels.unused() > most.levels.unused()) most = {moment, levels};
        });
        out.moments.push_back(most.moment);
        out.levels.push_back(most.levels);
    }
    for (const uint32_t key : {kActiveKey, kUnusedKey}) {
        MemoryArea area{key, 0, columns, key * columns, 0};
        for (const MemoryLevels& levels : out.levels) {
            // A file with contradictions may have more active than reserved memory; in that case nothing is
            // free.
            const int64_t size = key == kActiveKey ? levels.active : std::max<int64_t>(0, levels.unused());
            out.stack.offset_bytes.push_back(key == kActiveKey ? 0 : levels.active);
            out.stack.size_bytes.push_back(size);
            area.most_bytes = std::max(area.most_bytes, size);
        }
        out.stack.areas.push_back(area);
    }
    return out;
}

std::vector<MemoryColumn> columnsOfTime(const DeviceReplay& device, const MemorySnapshot& snapshot,
                                        TimeRange range, size_t columns)
{
    if (snapshot.entries.time_ns.empty()) return columnsOfMoments(0, device.lastMoment(), columns);
    std::vector<MemoryColumn> out;
    out.reserve(columns);
    const auto edge_ns = [&](size_t column) {
        const __int128 offset = static_cast<__int128>(range.length().ns) * static_cast<int64_t>(column);
        return range.begin.ns + static_cast<int64_t>(offset / static_cast<int64_t>(columns));
    };
    for (size_t i = 0; i < columns; ++i) {
        const MemoryMoment first = device.momentAt(snapshot, edge_ns(i));
        out.push_back({first, std::max(first, device.momentAt(snapshot, edge_ns(i + 1) - 1))});
    }
    return out;
}

std::vector<MemoryColumn> columnsOfMoments(MemoryMoment first, MemoryMoment last, size_t columns)
{
    std::vector<MemoryColumn> out;
    out.reserve(columns);
    const uint64_t count = uint64_t(last - first) + 1;
    for (size_t i = 0; i < columns; ++i) {
        const auto begin = static_cast<MemoryMoment>(first + count * i / columns);
        const auto end = static_cast<MemoryMoment>(first + count * (i + 1) / columns);
        out.push_back({begin, end > begin ? end - 1 : begin});
    }
    return out;
}

} // namespace lockstep
