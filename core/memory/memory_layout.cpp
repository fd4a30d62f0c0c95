// SPDX-License-Identifier: Apache-2.0
#include "core/memory/memory_layout.h"

#include <algorithm>
#include <span>

namespace lockstep {

namespace {

// A block in the columns that show it.
struct ColumnSpan {
    uint32_t group = 0; // equal ones make one area
    uint32_t life = 0;
    uint32_t begin = 0, end = 0; // columns
};

// Spans of one group, next to each other.
struct SpanGroup {
    uint32_t firstSpan = 0, spanCount = 0;
    uint32_t begin = 0, end = 0;
    int64_t most_bytes = 0;
};

class LayoutMaker {
  public:
    LayoutMaker(const DeviceReplay& device, const MemoryLayoutRequest& request,
                const std::vector<MemoryCategory>& categories)
        : m_device(device), m_request(request), m_categories(categories)
    {
    }

    Result<MemoryLayout> make(const Progress& progress)
    {
        if (m_request.columns.empty()) return std::move(m_out);
        findMoments();
        LOCKSTEP_TRY(progress.check());
        findSpans();
        LOCKSTEP_TRY(progress.check());
        findGroups();
        LOCKSTEP_TRY(progress.check());
        chooseGroups();
        placeAreas();
        return std::move(m_out);
    }

  private:
    void findMoments()
    {
        for (const MemoryColumn& column : m_request.columns) {
            const MemoryMoment first = std::min(column.first, m_device.lastMoment());
            const MemoryMoment last = std::clamp(column.last, first, m_device.lastMoment());
            MemoryPeak peak{first, m_device.levelsAt(first)};
            m_device.forEachMoment(first, last, [&](MemoryMoment moment, const MemoryLevels& levels) {
                if (levels.active > peak.levels.active) peak = {moment, levels};
            });
            m_out.moments.push_back(peak.moment);
            m_out.levels.push_back(peak.levels);
        }
    }

    uint32_t groupOf(uint32_t life) const
    {
        const MemoryStackId stack = m_device.blocks.stack[life];
        switch (m_request.by) {
        case MemoryGrouping::stack:
            return stack.isValid() ? stack.value : kNoStackKey;
        case MemoryGrouping::category:
            return static_cast<uint32_t>(categoryOf(m_categories, stack));
        default:
            return life;
        }
    }

    void findSpans()
    {
        const BlockLifeTable& blocks = m_device.blocks;
        const auto columnOf = [&](MemoryMoment moment) {
            return static_cast<uint32_t>(std::ranges::lower_bound(m_out.moments, moment) -
                                         m_out.moments.begin());
        };
        for (uint32_t life = 0; life < blocks.size(); ++life) {
            if (blocks.born[life] > m_out.moments.back()) break; // rows are in the order of birth
            const ColumnSpan span{groupOf(life), life, columnOf(blocks.born[life]),
                                  columnOf(blocks.freed[life])};
            if (span.begin < span.end) m_spans.push_back(span);
        }
        if (m_request.by != MemoryGrouping::block) std::ranges::stable_sort(m_spans, {}, &ColumnSpan::group);
    }

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
                group.most_bytes = sizeOf(m_spans[first]);
            } else {
                group.most_bytes = *std::ranges::max_element(sizesOf(group));
            }
            m_groups.push_back(group);
            first = last;
        }
    }

    int64_t sizeOf(const ColumnSpan& span) const
    {
        return static_cast<int64_t>(m_device.blocks.size_bytes[span.life]);
    }

    // Its size in each of its columns; valid until the next call.
    std::span<const int64_t> sizesOf(const SpanGroup& group)
    {
        m_sizes.assign(group.end - group.begin + 1, 0);
        for (const ColumnSpan& span : std::span(m_spans).subspan(group.firstSpan, group.spanCount)) {
            m_sizes[span.begin - group.begin] += sizeOf(span);
            m_sizes[span.end - group.begin] -= sizeOf(span);
        }
        for (size_t i = 1; i < m_sizes.size(); ++i)
            m_sizes[i] += m_sizes[i - 1];
        return {m_sizes.data(), m_sizes.size() - 1};
    }

    // The largest that there is room for, in the order of their first blocks.
    void chooseGroups()
    {
        std::vector<uint32_t> bySize(m_groups.size());
        for (uint32_t i = 0; i < bySize.size(); ++i)
            bySize[i] = i;
        const size_t most = std::min(m_request.mostAreas, bySize.size());
        const auto isLarger = [&](uint32_t a, uint32_t b) {
            return m_groups[a].most_bytes != m_groups[b].most_bytes
                       ? m_groups[a].most_bytes > m_groups[b].most_bytes
                       : a < b;
        };
        std::ranges::partial_sort(bySize, bySize.begin() + static_cast<ptrdiff_t>(most), isLarger);
        size_t points = 0;
        for (size_t i = 0; i < most; ++i) {
            points += m_groups[bySize[i]].end - m_groups[bySize[i]].begin;
            if (points > m_request.mostPoints) break;
            m_chosen.push_back(bySize[i]);
        }
        m_out.summedUp = m_groups.size() - m_chosen.size();
        const auto order = [&](uint32_t group) {
            const ColumnSpan& first = m_spans[m_groups[group].firstSpan];
            return m_request.by == MemoryGrouping::category ? first.group : first.life;
        };
        std::ranges::sort(m_chosen, {}, order);
    }

    void placeAreas()
    {
        std::vector<int64_t> height(m_out.moments.size(), 0);
        for (const uint32_t chosen : m_chosen) {
            const SpanGroup& group = m_groups[chosen];
            addArea(m_spans[group.firstSpan].group, group.begin, sizesOf(group), height);
        }
        if (m_out.summedUp == 0) return;
        std::vector<int64_t> rest(height.size());
        for (size_t column = 0; column < rest.size(); ++column)
            rest[column] = m_out.levels[column].active - height[column];
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

    const DeviceReplay& m_device;
    const MemoryLayoutRequest& m_request;
    const std::vector<MemoryCategory>& m_categories;
    MemoryLayout m_out;
    std::vector<ColumnSpan> m_spans;
    std::vector<SpanGroup> m_groups;
    std::vector<uint32_t> m_chosen;
    std::vector<int64_t> m_sizes;
};

} // namespace

std::optional<size_t> MemoryLayout::areaAt(size_t column, int64_t bytes) const
{
    for (size_t i = 0; i < areas.size(); ++i) {
        const MemoryArea& area = areas[i];
        if (column < area.firstColumn || column - area.firstColumn >= area.columnCount) continue;
        const size_t point = area.firstPoint + (column - area.firstColumn);
        if (bytes >= offset_bytes[point] && bytes < offset_bytes[point] + size_bytes[point]) return i;
    }
    return std::nullopt;
}

Result<MemoryLayout> layOutMemory(const DeviceReplay& device, const MemoryLayoutRequest& request,
                                  const std::vector<MemoryCategory>& categories, const Progress& progress)
{
    return LayoutMaker(device, request, categories).make(progress);
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
