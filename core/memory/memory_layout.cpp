// SPDX-License-Identifier: Apache-2.0
#include "core/memory/memory_layout.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace lockstep {

namespace {

// Consecutive spans of one group.
struct SpanGroup {
    uint32_t firstSpan = 0, spanCount = 0;
    uint32_t begin = 0, end = 0;
    int64_t most_bytes = 0;
};

// Stacks spans into areas in three steps. Spans are sorted by group, and a sweep over the begins and ends of
// a group's spans finds its largest size. The groups with the largest sizes get areas, as many as the limits
// allow. The areas are then stacked in the order of their first spans; `height` is the upper edge of the
// stack in each column. Invariant: the sizes in a column, including the rest, add up to its total. O(spans
// log spans + points).
class AreaStacker {
  public:
    AreaStacker(std::vector<ColumnSpan> spans, const std::vector<int64_t>& total_bytes,
                const AreaLimits& limits)
        : m_spans(std::move(spans)), m_total_bytes(total_bytes), m_limits(limits)
    {
    }

    AreaStack stack()
    {
        if (!std::ranges::is_sorted(m_spans, {}, &ColumnSpan::group))
            std::ranges::stable_sort(m_spans, {}, &ColumnSpan::group);
        findGroups();
        chooseGroups();
        placeAreas();
        return std::move(m_out);
    }

  private:
    void findGroups()
    {
        for (uint32_t first = 0; first < m_spans.size();) {
            SpanGroup group{first, 0, m_spans[first].begin, 0, 0};
            uint32_t last = first;
            for (; last < m_spans.size() && m_spans[last].group == m_spans[first].group; ++last) {
                group.begin = std::min(group.begin, m_spans[last].begin);
                group.end = std::max(group.end, m_spans[last].end);
            }
            group.spanCount = last - first;
            if (group.spanCount == 1) {
                group.most_bytes = m_spans[first].size_bytes;
            } else {
                group.most_bytes = mostOf(group);
            }
            m_groups.push_back(group);
            first = last;
        }
    }

    // Returns the group's size in each of its columns; valid until the next call.
    std::span<const int64_t> sizesOf(const SpanGroup& group)
    {
        m_sizes.assign(group.end - group.begin + 1, 0);
        for (const ColumnSpan& span : std::span(m_spans).subspan(group.firstSpan, group.spanCount)) {
            m_sizes[span.begin - group.begin] += span.size_bytes;
            m_sizes[span.end - group.begin] -= span.size_bytes;
        }
        for (size_t i = 1; i < m_sizes.size(); ++i)
            m_sizes[i] += m_sizes[i - 1];
        return {m_sizes.data(), m_sizes.size() - 1};
    }

    // Returns the group's largest size without visiting columns in which nothing changes.
    int64_t mostOf(const SpanGroup& group)
    {
        m_changes.clear();
        for (const ColumnSpan& span : std::span(m_spans).subspan(group.firstSpan, group.spanCount)) {
            m_changes.emplace_back(span.begin, span.size_bytes);
            m_changes.emplace_back(span.end, -span.size_bytes);
        }
        std::ranges::sort(m_changes); // within a column, ends are processed before begins
        int64_t now = 0, most = 0;
        for (const auto& [column, change] : m_changes)
            most = std::max(most, now += change);
        return most;
    }

    uint32_t orderOf(uint32_t group) const { return m_spans[m_groups[group].firstSpan].order; }

    void chooseGroups()
    {
        std::vector<uint32_t> bySize(m_groups.size());
        std::iota(bySize.begin(), bySize.end(), 0u);
        const size_t most = std::min(m_limits.mostAreas, bySize.size());
        const auto isLarger = [&](uint32_t a, uint32_t b) {
            return m_groups[a].most_bytes != m_groups[b].most_bytes
                       ? m_groups[a].most_bytes > m_groups[b].most_bytes
                       : a < b;
        };
        std::ranges::partial_sort(bySize, bySize.begin() + static_cast<ptrdiff_t>(most), isLarger);
        size_t points = 0;
        for (size_t i = 0; i < most; ++i) {
            points += m_groups[bySize[i]].end - m_groups[bySize[i]].begin;
            if (points > m_limits.mostPoints) break;
            m_chosen.push_back(bySize[i]);
        }
        m_out.summedUp = m_groups.size() - m_chosen.size();
        std::ranges::sort(m_chosen, {}, [&](uint32_t group) { return std::pair(orderOf(group), group); });
    }

    void placeAreas()
    {
        std::vector<int64_t> height(m_total_bytes.size(), 0);
        for (const uint32_t chosen : m_chosen) {
            const SpanGroup& group = m_groups[chosen];
            addArea(m_spans[group.firstSpan].group, group.begin, sizesOf(group), height);
        }
        if (m_out.summedUp == 0) return;
        std::vector<int64_t> rest(height.size());
        for (size_t column = 0; column < rest.size(); ++column)
            rest[column] = m_total_bytes[column] - height[column];
        addArea(kRestKey, 0, rest, height);
    }

    void addArea(uint32_t key, uint32_t firstColumn, std::span<const int64_t> sizes,
                 std::vector<int64_t>& height)
    {
        MemoryArea area{key, firstColumn, static_cast<uint32_t>(sizes.size()),
                        static_cast<uint32_t>(m_out.size_bytes.size()), 0};
        for (size_t i = 0; i < sizes.size(); ++i) {
            m_out.offset_bytes.push_back(height[firstColumn + i]);
            m_out.size_bytes.push_back(sizes[i]);
            height[firstColumn + i] += sizes[i];
            area.most_bytes = std::max(area.most_bytes, sizes[i]);
        }
        m_out.areas.push_back(area);
    }

    std::vector<ColumnSpan> m_spans;
    const std::vector<int64_t>& m_total_bytes;
    const AreaLimits& m_limits;
    AreaStack m_out;
    std::vector<SpanGroup> m_groups;
    std::vector<uint32_t> m_chosen;
    std::vector<int64_t> m_sizes;
    std::vector<std::pair<uint32_t, int64_t>> m_changes;
};

} // namespace

std::optional<size_t> AreaStack::areaAt(size_t column, int64_t bytes) const
{
    for (size_t i = 0; i < areas.size(); ++i) {
        const MemoryArea& area = areas[i];
        if (column < area.firstColumn || column - area.firstColumn >= area.columnCount) continue;
        const size_t point = area.firstPoint + (column - area.firstColumn);
        if (bytes >= offset_bytes[point] && bytes < offset_bytes[point] + size_bytes[point]) return i;
    }
    return std::nullopt;
}

AreaStack stackAreas(std::vector<ColumnSpan> spans, const std::vector<int64_t>& total_bytes,
                     const AreaLimits& limits)
{
    return AreaStacker(std::move(spans), total_bytes, limits).stack();
}

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
        while (column < out.moments.size() && out.moments[column] < blocks.allocated[life])
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
        const ColumnSpan span{life, segment.reserved, columnOf(out, segment.reserved),
                              columnOf(out, segment.freed), static_cast<int64_t>(segment.size_bytes)};
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
