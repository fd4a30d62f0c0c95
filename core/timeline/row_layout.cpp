// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/row_layout.h"

#include <algorithm>
#include <array>

#include "core/timeline/elide.h"

namespace lockstep {

namespace {

constexpr uint32_t kColumnsAhead = 3; // whose slices are fetched into the cache early

// Walks one row from left to right, a pixel at a time where narrow slices are, in leaps elsewhere.
class RowWalk {
  public:
    RowWalk(const LodRow& row, const RowView& view, DisplayRow& out)
        : m_row(row), m_view(view), m_out(out), m_wide_ns(view.scale.durationOf(kMinBoxWidth).ns)
    {
    }

    void run()
    {
        const PixelScale& scale = m_view.scale;
        const uint32_t start = m_row.firstReaching(scale.range().begin.ns);
        if (start >= m_row.count() || m_row.start(start) >= scale.range().end.ns) return;
        int x = scale.pixelOf({m_row.start(start)});
        RowBoundary left = m_row.boundaryAt(scale.startOf(x).ns, start > 0 ? start - 1 : 0);
        TimeRange pixel = scale.pixelRange(x);
        while (x < scale.width()) {
            const RowBoundary right = m_row.boundaryAt(pixel.end.ns, left.next);
            m_row.prefetch(right.next + kColumnsAhead * (right.next - left.next));
            const bool spans = left.next > 0 && m_row.end(left.next - 1) > pixel.begin.ns;
            const uint32_t first = spans ? left.next - 1 : left.next;
            int next = x + 1;
            if (first == right.next) {
                if (first == m_row.count()) return;
                next = std::max(next, scale.pixelOf({m_row.start(first)}));
            } else if (visit(x, pixel, left, right, first)) {
                next = std::max(next, scale.pixelOf({m_row.end(right.next - 1)}));
            }
            pixel = {next == x + 1 ? pixel.end : scale.startOf(next), scale.startOf(next + 1)};
            left = next == x + 1 ? right : m_row.boundaryAt(pixel.begin.ns, right.next);
            x = next;
        }
    }

  private:
    // Pixel x, where [first, right.next) overlap it. True when the last of them is wide.
    bool visit(int x, TimeRange pixel, const RowBoundary& left, const RowBoundary& right, uint32_t first)
    {
        const uint32_t last = right.next - 1;
        const bool firstIsWide = m_row.duration(first) >= m_wide_ns && !isSliver(first, pixel);
        const bool lastIsWide = last == first ? firstIsWide : m_row.duration(last) >= m_wide_ns;
        uint32_t narrow = right.next - first;
        if (firstIsWide) {
            --narrow;
            box(first);
        }
        if (lastIsWide && last != first) {
            --narrow;
            box(last);
        }
        if (narrow > 0) column(x, pixel, left, right, first);
        return lastIsWide;
    }

    // A slice of which no more than a part of the first pixel is in view: another may begin in that pixel.
    bool isSliver(uint32_t position, TimeRange pixel) const
    {
        const TraceTime begin = m_view.scale.range().begin;
        return pixel.begin == begin && m_row.start(position) < begin.ns && m_row.end(position) < pixel.end.ns;
    }

    void column(int x, TimeRange pixel, const RowBoundary& left, const RowBoundary& right, uint32_t first)
    {
        DenseColumn& out = m_out.columns.emplace_back();
        const int64_t busy_ns = right.busy_ns - left.busy_ns;
        out.x = static_cast<uint16_t>(x);
        const double part =
            static_cast<double>(busy_ns) / static_cast<double>(std::max<int64_t>(1, pixel.length().ns));
        out.occupancy = static_cast<uint8_t>(busy_ns == 0 ? 0.0 : std::clamp(part * 255.0, 1.0, 255.0));
        out.category = m_row.dominantBetween(left, right, first, pixel);
        out.count = right.next - first;
        if (out.count > kMostNamed) return;
        out.longest = m_row.sliceAt(m_row.longestIn(first, right.next));
        if (out.longest.isValid())
            out.nameHash = m_view.lod.nameHash(m_view.report.slices.name[out.longest.value]);
    }

    void box(uint32_t position)
    {
        if (position < m_nextBox) return;
        m_nextBox = position + 1;
        const PixelScale& scale = m_view.scale;
        const int64_t end_ns = m_row.end(position);
        SliceBox box;
        box.begin = scale.pixelOf({m_row.start(position)});
        box.end = std::max(box.begin + 1, scale.pixelOf({end_ns}));
        box.slice = m_row.sliceAt(position);
        box.category = m_row.category(position);
        if (box.slice.isValid()) decorate(box);
        m_out.boxes.push_back(box);
    }

    void decorate(SliceBox& box)
    {
        const Report& report = m_view.report;
        box.nameHash = m_view.lod.nameHash(report.slices.name[box.slice.value]);
        box.isOpenEnd = (report.slices.flags[box.slice.value] & sliceFlag::kOpenEnd) != 0;
        if (!report.colors.empty()) {
            const auto own =
                std::ranges::lower_bound(report.colors, box.slice, {}, &std::pair<SliceId, uint32_t>::first);
            if (own != report.colors.end() && own->first == box.slice)
                box.ownColor = 0xFF000000u | own->second;
        }
        if (m_view.font == nullptr) return;
        const auto room = static_cast<float>(box.end - box.begin - 2 * m_view.metrics.labelPadding);
        if (room < 3 * m_view.font->advance['i']) return;
        const std::string label = labelFor(box.slice, room);
        box.label = static_cast<uint32_t>(m_out.text.size());
        box.labelLength = static_cast<uint32_t>(label.size());
        m_out.text += label;
    }

    std::string labelFor(SliceId slice, float room) const
    {
        const Report& report = m_view.report;
        const std::string_view name = report.nameOf(slice);
        if (report.slices.kind[slice.value] == RowKind::kernel) return elideKernel(name, room, *m_view.font);
        const SliceId parent = report.slices.parent[slice.value];
        return elideEnd(parent.isValid() ? withoutParentName(name, report.nameOf(parent)) : name, room,
                        *m_view.font);
    }

    const LodRow& m_row;
    const RowView& m_view;
    DisplayRow& m_out;
    const int64_t m_wide_ns;
    uint32_t m_nextBox = 0;
};

} // namespace

void layOutSlices(const LodRow& row, const RowView& view, DisplayRow& out)
{
    RowWalk(row, view, out).run();
}

namespace {

struct PixelSum {
    uint32_t occupancy = 0;
    uint32_t count = 0;
    uint32_t most = 0; // of one row
    std::array<uint32_t, static_cast<size_t>(SliceCategory::count)> of = {};

    SliceCategory category() const
    {
        return static_cast<SliceCategory>(std::ranges::max_element(of) - of.begin());
    }
};

std::vector<PixelSum> sumRows(std::span<const DisplayRow> rows, int width)
{
    std::vector<PixelSum> sums(static_cast<size_t>(width));
    const auto add = [&](size_t x, uint32_t occupancy, uint32_t count, SliceCategory category) {
        PixelSum& sum = sums[x];
        sum.occupancy += occupancy;
        sum.count += count;
        sum.most = std::max(sum.most, occupancy);
        sum.of[static_cast<size_t>(category)] += occupancy;
    };
    std::vector<bool> isColumn(sums.size());
    for (const DisplayRow& row : rows) {
        // A column's occupancy counts the boxes that reach into its pixel.
        isColumn.assign(sums.size(), false);
        for (const DenseColumn& column : row.columns) {
            isColumn[column.x] = true;
            add(column.x, column.occupancy, column.count, column.category);
        }
        for (const SliceBox& box : row.boxes) {
            for (auto x = static_cast<size_t>(box.begin); x < static_cast<size_t>(box.end); ++x) {
                if (!isColumn[x]) add(x, 255, 1, box.category);
            }
        }
    }
    return sums;
}

template<class Occupancy>
void appendColumns(const std::vector<PixelSum>& sums, const Occupancy& occupancyOf, DisplayRow& out)
{
    for (size_t x = 0; x < sums.size(); ++x) {
        if (sums[x].count == 0) continue;
        DenseColumn& column = out.columns.emplace_back();
        column.x = static_cast<uint16_t>(x);
        column.occupancy = static_cast<uint8_t>(occupancyOf(sums[x]));
        column.category = sums[x].category();
        column.count = sums[x].count;
    }
}

} // namespace

void averageRows(std::span<const DisplayRow> rows, int width, DisplayRow& out)
{
    if (rows.empty()) return;
    appendColumns(
        sumRows(rows, width),
        [&](const PixelSum& sum) { return (sum.occupancy + rows.size() - 1) / rows.size(); }, out);
}

void uniteRows(std::span<const DisplayRow> rows, int width, DisplayRow& out)
{
    appendColumns(
        sumRows(rows, width), [](const PixelSum& sum) { return sum.most; }, out);
}

void layOutCounter(CounterTrackId counter, CounterScale scale, const RowView& view, DisplayRow& out)
{
    const CounterLod& lod = view.lod.counters();
    const double bottom = scale.low;
    const double height = scale.high > scale.low ? scale.high - scale.low : 1;
    uint32_t hint = 0;
    const uint32_t first = view.report.counterTracks[counter.value].firstSample;
    for (int x = view.scale.pixelOf({view.report.counters.time_ns[first]}); x < view.scale.width(); ++x) {
        const TimeRange pixel = view.scale.pixelRange(x);
        if (pixel.begin > view.report.extent.end) break;
        const auto known = lod.summarize(view.report, counter, pixel, &hint);
        if (!known) continue;
        out.samples.push_back({static_cast<uint16_t>(x), static_cast<float>((known->min - bottom) / height),
                               static_cast<float>((known->max - bottom) / height), known->last});
    }
}

} // namespace lockstep
