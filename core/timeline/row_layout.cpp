// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/row_layout.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/timeline/elide.h"

namespace lockstep {

namespace {

constexpr uint32_t kColumnsAhead = 3; // number of columns ahead for which slices are prefetched
constexpr uint32_t kFewInPixel = 8;   // average number of slices per pixel

// Sums over the slices that overlap a pixel.
struct PixelSlices {
    uint32_t first = 0; // positions [first, last] in the row
    uint32_t last = 0;
    int64_t busy_ns = 0; // busy time within the pixel
    uint32_t count = 0;
    bool isHit = false; // set if names are hidden, because slices between first and last that are not visible
                        // may be hits
};

// Adds the shapes of a row, pixel by pixel from left to right: boxes for wide slices, columns for the rest.
class RowShapes {
  public:
    RowShapes(const LodRow& row, const RowView& view, DisplayRow& out)
        : m_row(row), m_view(view), m_out(out), m_wide_ns(view.scale.durationOf(kMinBoxWidth).ns),
          m_length_ns(view.scale.pixelLength().ns)
    {
    }

    // Handles pixel x. describe(column) sets the category of a column, and its longest slice if the column
    // has at most kMaxNamed slices. Returns true if the last slice is wide.
    template<class Describe>
    bool add(int x, TimeRange pixel, const PixelSlices& slices, const Describe& describe)
    {
        const bool firstIsWide = m_row.duration(slices.first) >= m_wide_ns && !isSliver(slices.first, pixel);
        const bool lastIsWide =
            slices.last == slices.first ? firstIsWide : m_row.duration(slices.last) >= m_wide_ns;
        uint32_t narrow = slices.count;
        if (firstIsWide) {
            --narrow;
            box(slices.first);
        }
        if (lastIsWide && slices.last != slices.first) {
            --narrow;
            box(slices.last);
        }
        if (narrow == 0) return lastIsWide;
        DenseColumn& out = m_out.columns.emplace_back();
        out.x = static_cast<uint16_t>(x);
        out.occupancy = occupancyOf(slices.busy_ns, pixel.length().ns);
        out.count = slices.count;
        const bool isHit =
            m_view.hidden != nullptr ? slices.isHit : m_view.hits.hasAny(slices.first, slices.last);
        if (isHit) m_out.hitColumns.push_back(out.x);
        describe(out);
        if (out.longest.isValid() && out.count <= kMaxNamed)
            out.nameHash = m_view.lod.nameHash(m_view.report.slices.name[out.longest.value]);
        return lastIsWide;
    }

  private:
    // Returns whether only part of the slice in the first pixel is visible, so that a different one may begin
    // in that pixel.
    bool isSliver(uint32_t position, TimeRange pixel) const
    {
        const TraceTime begin = m_view.scale.range().begin;
        return pixel.begin == begin && m_row.start(position) < begin.ns && m_row.end(position) < pixel.end.ns;
    }

    // Returns 255 if the pixel is busy all the time. Nonzero values are at least 1.
    uint8_t occupancyOf(int64_t busy_ns, int64_t length_ns) const
    {
        if (busy_ns >= length_ns) return busy_ns > 0 ? 255 : 0;
        constexpr double kRounding = 1e-7; // keeps whole parts exact
        // in parts other than the widest, any length is possible
        const auto more = static_cast<uint64_t>(length_ns - m_length_ns);
        const double partOf_ns = more < 2 ? m_partOf_ns[more] : 255.0 / static_cast<double>(length_ns);
        const double part = static_cast<double>(busy_ns) * partOf_ns;
        const auto whole = static_cast<int>(part + kRounding);
        return static_cast<uint8_t>(whole + (whole == 0 && busy_ns > 0 ? 1 : 0));
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
        box.isHit = m_view.hits.hasAny(position, position);
        box.isDimmed = m_view.hits.isActive() && !box.isHit;
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
    const int64_t m_length_ns; // length of a pixel, or 1 ns more
    const std::array<double, 2> m_partOf_ns{255.0 / static_cast<double>(std::max<int64_t>(1, m_length_ns)),
                                            255.0 / static_cast<double>(m_length_ns + 1)};
};

// Scans a dense row from pixel border to pixel border. It uses the row's precomputed sums, without visiting
// the slices in between.
class RowWalk {
  public:
    RowWalk(const LodRow& row, const RowView& view, DisplayRow& out)
        : m_row(row), m_view(view), m_shapes(row, view, out)
    {
    }

    void run(uint32_t start)
    {
        const PixelScale& scale = m_view.scale;
        int x = scale.pixelOf({m_row.start(start)});
        std::array<RowBoundary, 2> borders;
        size_t at = 0; // position of the slice at the left border
        m_row.findBoundary(scale.startOf(x).ns, start > 0 ? start - 1 : 0, borders[at]);
        TimeRange pixel = scale.pixelRange(x);
        while (x < scale.width()) {
            const RowBoundary& left = borders[at];
            RowBoundary& right = borders[1 - at];
            m_row.findBoundary(pixel.end.ns, left.next, right);
            m_row.prefetch(right.next + kColumnsAhead * (right.next - left.next));
            const bool spans = left.next > 0 && m_row.end(left.next - 1) > pixel.begin.ns;
            const uint32_t first = spans ? left.next - 1 : left.next;
            int next = x + 1;
            if (first == right.next) {
                if (first == m_row.count()) return;
                next = std::max(next, scale.pixelOf({m_row.start(first)}));
            } else if (add(x, pixel, left, right, first)) {
                next = std::max(next, scale.pixelOf({m_row.end(right.next - 1)}));
            }
            pixel = {next == x + 1 ? pixel.end : scale.startOf(next), scale.startOf(next + 1)};
            if (next > x + 1) m_row.findBoundary(pixel.begin.ns, right.next, right);
            at = 1 - at;
            x = next;
        }
    }

  private:
    bool add(int x, TimeRange pixel, const RowBoundary& left, const RowBoundary& right, uint32_t first)
    {
        const PixelSlices slices{first, right.next - 1, right.busy_ns - left.busy_ns, right.next - first};
        return m_shapes.add(x, pixel, slices, [&](DenseColumn& out) {
            out.category = m_row.dominantBetween(left, right, first, pixel);
            if (out.count <= kMaxNamed) out.longest = m_row.sliceAt(m_row.longestIn(first, right.next));
        });
    }

    const LodRow& m_row;
    const RowView& m_view;
    RowShapes m_shapes;
};

// Visits the slices in a row one by one, which is faster than sums if a pixel contains few.
class RowSweep {
  public:
    RowSweep(const LodRow& row, const RowView& view, DisplayRow& out)
        : m_row(row), m_view(view), m_shapes(row, view, out), m_mask(row.isOneCategory() ? 0 : row.mask())
    {
    }

    // [position, last): the visible slices.
    void run(uint32_t position, uint32_t last)
    {
        const PixelScale& scale = m_view.scale;
        int x = scale.pixelOf({m_row.start(position)});
        TimeRange pixel = scale.pixelRange(x);
        while (position < last && x < scale.width()) {
            const uint32_t after = sum(position, last, pixel);
            int next = x + 1;
            if (after == position) {
                next = std::max(next, scale.pixelOf({m_row.start(position)}));
            } else if (m_sum.count > 0 &&
                       m_shapes.add(x, pixel, m_sum, [&](DenseColumn& out) { describe(out); })) {
                next = std::max(next, scale.pixelOf({m_row.end(m_sum.last)}));
            }
            pixel = {next == x + 1 ? pixel.end : scale.startOf(next), scale.startOf(next + 1)};
            position = after > position && m_row.end(after - 1) > pixel.begin.ns ? after - 1 : after;
            x = next;
        }
    }

  private:
    // Sums up the slices that overlap the pixel; `position` is the first candidate. Returns the first
    // position after the pixel.
    uint32_t sum(uint32_t position, uint32_t last, TimeRange pixel)
    {
        m_sum = {position, position, 0, 0, false};
        m_longest = position;
        m_longest_ns = -1;
        for (uint32_t rest = m_mask; rest != 0; rest &= rest - 1)
            m_mix_ns[static_cast<size_t>(std::countr_zero(rest))] = 0;
        uint32_t at = position;
        for (; at < last; ++at) {
            const int64_t start_ns = m_row.start(at);
            if (start_ns >= pixel.end.ns) break;
            if (m_view.hidden != nullptr && isHidden(at)) continue;
            const int64_t duration_ns = m_row.duration(at);
            const int64_t part_ns =
                std::min(start_ns + duration_ns, pixel.end.ns) - std::max(start_ns, pixel.begin.ns);
            m_sum.busy_ns += part_ns;
            m_sum.first = m_sum.count++ == 0 ? at : m_sum.first;
            m_sum.last = at;
            m_longest = duration_ns > m_longest_ns ? at : m_longest;
            m_longest_ns = std::max(m_longest_ns, duration_ns);
            if (m_mask != 0) m_mix_ns[static_cast<size_t>(m_row.category(at))] += part_ns;
        }
        return at;
    }

    // Only visible slices are looked up in the search results, one by one.
    bool isHidden(uint32_t at)
    {
        const SliceId slice = m_row.sliceAt(at);
        if (slice.isValid() && (*m_view.hidden)[m_view.report.slices.name[slice.value].value] != 0)
            return true;
        m_sum.isHit = m_sum.isHit || m_view.hits.hasAny(at, at);
        return false;
    }

    void describe(DenseColumn& out)
    {
        out.category = m_row.category(m_longest);
        int64_t most_ns = 0;
        for (uint32_t rest = m_mask; rest != 0; rest &= rest - 1) {
            const auto category = static_cast<size_t>(std::countr_zero(rest));
            out.category = m_mix_ns[category] > most_ns ? static_cast<SliceCategory>(category) : out.category;
            most_ns = std::max(most_ns, m_mix_ns[category]);
        }
        // The longest of many slices could be a hidden one.
        const bool isNamed = out.count <= kMaxNamed || m_view.hidden != nullptr;
        out.longest = isNamed ? m_row.sliceAt(m_longest) : SliceId();
    }

    const LodRow& m_row;
    const RowView& m_view;
    RowShapes m_shapes;
    const uint32_t m_mask; // number of categories to distinguish
    PixelSlices m_sum;
    uint32_t m_longest = 0; // of the pixel's slices; ties: the first
    int64_t m_longest_ns = 0;
    std::array<int64_t, static_cast<size_t>(SliceCategory::count)> m_mix_ns = {};
};

} // namespace

void layOutSlices(const LodRow& row, const RowView& view, DisplayRow& out)
{
    const TimeRange range = view.scale.range();
    const uint32_t first = row.firstReaching(range.begin.ns);
    if (first >= row.count() || row.start(first) >= range.end.ns) return;
    const uint32_t last = row.firstStartingAt(range.end.ns, first);
    if (view.hidden != nullptr || last - first <= kFewInPixel * static_cast<uint32_t>(view.scale.width())) {
        RowSweep(row, view, out).run(first, last);
    } else {
        RowWalk(row, view, out).run(first);
    }
}

void RowSum::add(size_t x, uint32_t occupancy, uint32_t count, SliceCategory category)
{
    Pixel& pixel = m_pixels[x];
    pixel.occupancy += occupancy;
    pixel.count += count;
    pixel.most = std::max(pixel.most, occupancy);
    pixel.of[static_cast<size_t>(category)] += occupancy;
}

void RowSum::add(const DisplayRow& row)
{
    // The occupancy of a column includes boxes that extend into its pixel.
    std::vector<bool> isColumn(m_pixels.size());
    for (const DenseColumn& column : row.columns) {
        isColumn[column.x] = true;
        add(column.x, column.occupancy, column.count, column.category);
    }
    for (const SliceBox& box : row.boxes) {
        for (auto x = static_cast<size_t>(box.begin); x < static_cast<size_t>(box.end); ++x) {
            if (!isColumn[x]) add(x, 255, 1, box.category);
        }
    }
    ++m_rows;
}

void RowSum::add(const RowSum& other)
{
    for (size_t x = 0; x < m_pixels.size(); ++x) {
        Pixel& pixel = m_pixels[x];
        const Pixel& more = other.m_pixels[x];
        pixel.occupancy += more.occupancy;
        pixel.count += more.count;
        pixel.most = std::max(pixel.most, more.most);
        for (size_t i = 0; i < pixel.of.size(); ++i)
            pixel.of[i] += more.of[i];
    }
    m_rows += other.m_rows;
}

template<class Occupancy>
void RowSum::appendColumns(const Occupancy& occupancyOf, DisplayRow& out) const
{
    for (size_t x = 0; x < m_pixels.size(); ++x) {
        const Pixel& pixel = m_pixels[x];
        if (pixel.count == 0) continue;
        DenseColumn& column = out.columns.emplace_back();
        column.x = static_cast<uint16_t>(x);
        column.occupancy = static_cast<uint8_t>(occupancyOf(pixel));
        column.category = static_cast<SliceCategory>(std::ranges::max_element(pixel.of) - pixel.of.begin());
        column.count = pixel.count;
    }
}

void RowSum::appendAverage(DisplayRow& out) const
{
    appendColumns([&](const Pixel& pixel) { return (pixel.occupancy + m_rows - 1) / m_rows; }, out);
}

void RowSum::appendUnion(DisplayRow& out) const
{
    appendColumns([](const Pixel& pixel) { return pixel.most; }, out);
}

} // namespace lockstep
