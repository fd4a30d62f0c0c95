#include "core/timeline/layout.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/timeline/elide.h"
#include "core/timeline/row_layout.h"
#include "core/timeline/selection_layout.h"
#include "core/timeline/shared_rows.h"

namespace lockstep {

namespace {

constexpr int kTriangleWidth = 14;
constexpr int kHeaderPadding = 8;
constexpr int kStripeWidth = 12; // the role's stripe and the air around it

// One row to lay out: its shapes' place in the list and where they come from.
struct RowJob {
    size_t row;
    std::vector<RowSource> sources; // more than one only for summaries
    const Lane* lane;
};

class FrameLayout {
  public:
    FrameLayout(const Scene& scene, const FrameView& view, DisplayList recycled)
        : m_scene(scene), m_view(view), m_spare(std::move(recycled.rows))
    {
        m_list.size = view.size;
        m_list.headerWidth = view.headerWidth;
        m_list.pinnedHeight = std::min(view.flow->pinnedHeight, view.size.height / 2);
        m_list.contentHeight = view.flow->scrollingHeight;
        m_list.visible = view.visible;
        m_list.selectedRange = view.selection.range;
        m_scales = ByReport<PixelScale>(scene.shown.slotCount());
        for (const ReportKey key : scene.shown.keys()) {
            m_scales[key] =
                PixelScale(scene.alignment.map(key).traceFromAligned(view.visible), m_list.timeWidth());
        }
    }

    DisplayList run()
    {
        place(m_view.flow->scrolling, m_list.pinnedHeight - m_view.scroll, m_list.pinnedHeight,
              m_view.size.height, false);
        place(m_view.flow->pinned, 0, 0, m_list.pinnedHeight, true);
        if (m_list.timeWidth() > 0) parallelFor(m_jobs.size(), [&](size_t i, size_t) { fill(m_jobs[i]); });
        partSharedRows(m_list.rows);
        layOutSelection(m_scene, m_view, m_list);
        return std::move(m_list);
    }

  private:
    void place(const std::vector<PlacedLane>& lanes, int origin, int top, int bottom, bool isPinned)
    {
        const auto reaches = [&](const PlacedLane& lane) { return origin + lane.y + lane.height > top; };
        auto lane = std::ranges::partition_point(lanes, [&](const PlacedLane& l) { return !reaches(l); });
        for (; lane != lanes.end() && origin + lane->y < bottom; ++lane) {
            addHeader(*lane, origin + lane->y, isPinned);
            addRows(*lane, origin + lane->y, top, bottom, isPinned);
        }
    }

    void addHeader(const PlacedLane& placed, int y, bool isPinned)
    {
        const Lane& lane = m_scene.tree->lane(placed.lane);
        DisplayLane& out = m_list.lanes.emplace_back();
        out.lane = placed.lane;
        out.y = y;
        out.height = placed.height;
        out.hasTriangle = lane.isCollapsible();
        out.isCollapsed = placed.isCollapsed;
        out.isPinned = isPinned;
        out.isAlternate = placed.isAlternate;
        out.isGroup = (lane.kind == LaneKind::process || lane.kind == LaneKind::group) && !placed.isCollapsed;
        out.indent = kStripeWidth + (isPinned ? 0 : lane.level * m_view.indentWidth);
        out.rowsShown = placed.rowsShown;
        out.value = lane.value;
        std::string label = isPinned && lane.level > 0 ? m_scene.tree->pathOf(placed.lane) : lane.label;
        if (!lane.isPlaced && label.ends_with(kNotPlacedMark)) {
            // The mark must not be elided: it takes the value's place.
            label.erase(label.size() - kNotPlacedMark.size());
            out.value = kNotPlacedMark.substr(kNotPlacedMark.find('c'));
            out.isWarning = true;
        }
        const float used = static_cast<float>(out.indent + kTriangleWidth + 2 * kHeaderPadding) +
                           (out.value.empty() ? 0 : m_view.font->widthOf(out.value));
        const float room = static_cast<float>(m_view.headerWidth) - used;
        // Bold letters are about a tenth wider than the measured ones.
        out.label = isPinned ? elideMiddle(label, room, *m_view.font)
                             : elideEnd(label, out.isGroup ? room * 0.9f : room, *m_view.font);
    }

    void addRows(const PlacedLane& placed, int y, int top, int bottom, bool isPinned)
    {
        const Lane& lane = m_scene.tree->lane(placed.lane);
        if (lane.kind == LaneKind::dataLoss) {
            addRow(placed, y, placed.height - 1, RowShape::hatch, isPinned);
        } else if (placed.isCollapsed) {
            addSummary(lane, placed, y, isPinned);
        } else {
            addSources(lane, placed, y, {top, bottom}, isPinned);
        }
    }

    // A summary of captures of one track shows their slices; any other one shows how busy all of it was.
    void addSummary(const Lane& lane, const PlacedLane& placed, int y, bool isPinned)
    {
        if (lane.summary.empty()) return;
        const RowSource::Kind kind = lane.summary.front().kind;
        const RowShape shape = kind == RowSource::Kind::busy ? RowShape::busy : RowShape::slices;
        const bool isOne = lane.isSummaryOfOne;
        const size_t rows = isOne ? lane.summary.size() : 1;
        for (size_t i = 0; i < rows; ++i) {
            if (isOne && i > 0 && !reachesView(lane.summary[i])) continue;
            DisplayRow& row = addRow(placed, y, m_view.flow->rowHeight, shape, isPinned);
            row.isSummary = true;
            // Of several sources no one track can be asked.
            if (isOne) row.track = {lane.summary[i].report, lane.summary[i].track};
            m_jobs.push_back(
                {m_list.rows.size() - 1, isOne ? std::vector{lane.summary[i]} : lane.summary, &lane});
        }
    }

    bool reachesView(const RowSource& source) const
    {
        const TimeRange view = m_scales[source.report].range();
        return source.extent.begin < view.end && view.begin <= source.extent.end;
    }

    void addSources(const Lane& lane, const PlacedLane& placed, int y, std::pair<int, int> clip,
                    bool isPinned)
    {
        const int pitch = m_view.flow->pitch();
        for (size_t i = 0; i < lane.sources.size(); ++i) {
            RowSource source = lane.sources[i];
            // Of the captures on a row only those in sight, but a row at least, for what is clicked there.
            const bool isFirst = i == 0 || lane.sources[i - 1].row != source.row;
            if (!isFirst && !reachesView(source)) continue;
            const int top = y + static_cast<int>(source.row) * pitch;
            const bool isTrack = source.kind == RowSource::Kind::track;
            const int depths =
                isTrack ? m_scene.shown.report(source.report).track(source.track).depthCount : 1;
            // Only the depths on screen: a track may have thousands.
            const int firstDepth = std::clamp((clip.first - top) / pitch, 0, depths);
            for (int depth = firstDepth; depth < depths && top + depth * pitch < clip.second; ++depth) {
                const RowShape shape = isTrack                                ? RowShape::slices
                                       : source.kind == RowSource::Kind::busy ? RowShape::busy
                                                                              : RowShape::counter;
                const int height = shape == RowShape::counter ? placed.height - 1 : m_view.flow->rowHeight;
                DisplayRow& row = addRow(placed, top + depth * pitch, height, shape, isPinned);
                row.track = {source.report, source.track};
                row.depth = source.depth = static_cast<uint16_t>(depth);
                m_jobs.push_back({m_list.rows.size() - 1, {source}, &lane});
            }
        }
    }

    DisplayRow& addRow(const PlacedLane& placed, int y, int height, RowShape shape, bool isPinned)
    {
        DisplayRow row;
        if (!m_spare.empty()) {
            row = std::move(m_spare.back());
            m_spare.pop_back();
            row.columns.clear();
            row.boxes.clear();
            row.samples.clear();
            row.text.clear();
        }
        row.lane = placed.lane;
        row.y = y;
        row.height = height;
        row.shape = shape;
        row.isPinned = isPinned;
        row.isSummary = false;
        row.track = {};
        row.depth = 0;
        return m_list.rows.emplace_back(std::move(row));
    }

    void fill(const RowJob& job)
    {
        DisplayRow& row = m_list.rows[job.row];
        if (job.sources.size() == 1) return fillFrom(job.sources.front(), job, row);
        std::vector<DisplayRow> parts;
        for (size_t begin = 0, end = 0; begin < job.sources.size(); begin = end) {
            std::vector<DisplayRow> captures;
            while (end < job.sources.size() && job.sources[end].row == job.sources[begin].row) {
                if (reachesView(job.sources[end])) fillFrom(job.sources[end], job, captures.emplace_back());
                ++end;
            }
            if (captures.size() == 1) {
                parts.push_back(std::move(captures.front()));
            } else {
                uniteRows(captures, m_list.timeWidth(), parts.emplace_back());
            }
        }
        averageRows(parts, m_list.timeWidth(), row);
    }

    void fillFrom(const RowSource& source, const RowJob& job, DisplayRow& row)
    {
        const Report& report = m_scene.shown.report(source.report);
        const ReportLod& lod = *m_scene.lods[source.report];
        RowView view{report, lod, m_scales[source.report], nullptr};
        switch (source.kind) {
        case RowSource::Kind::counter:
            return layOutCounter(source.counter, {job.lane->counterLow, job.lane->counterHigh}, view, row);
        case RowSource::Kind::busy:
            return layOutSlices(lod.busyRows()[source.busyRow].row(report, lod.slices()), view, row);
        case RowSource::Kind::track:
            // Occupancy has no labels.
            if (job.sources.size() == 1) view.font = m_view.font;
            return layOutSlices(lod.slices().row(report, source.track, source.depth), view, row);
        }
    }

    const Scene& m_scene;
    const FrameView& m_view;
    DisplayList m_list;
    std::vector<DisplayRow> m_spare;
    ByReport<PixelScale> m_scales;
    std::vector<RowJob> m_jobs;
};

} // namespace

DisplayList layOut(const Scene& scene, const FrameView& view, DisplayList recycled)
{
    return FrameLayout(scene, view, std::move(recycled)).run();
}

} // namespace lockstep
