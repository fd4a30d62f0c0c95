// SPDX-License-Identifier: Apache-2.0
#include "core/memory/area_stack.h"

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

} // namespace lockstep
