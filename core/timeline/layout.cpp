// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/layout.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "core/base/text.h"
#include "core/timeline/elide.h"
#include "core/timeline/hit_rows.h"
#include "core/timeline/lane_kind.h"
#include "core/timeline/selection_layout.h"

namespace lockstep {

namespace {

// Adds the alarms of rows, such as out-of-memory events, as flags in the row of the process, because that row
// has no data of its own. A pole connects each flag to the lane of the alarm. O(alarms in the frame).
void layOutAlarmFlags(const Scene& scene, const FrameView& view, DisplayList& list)
{
    std::map<std::pair<uint32_t, bool>, const DisplayLane*> heads; // headers of processes in the frame
    for (const DisplayLane& lane : list.lanes) {
        if (scene.tree->lane(lane.lane).subject == LaneSubject::process)
            heads.emplace(std::pair(lane.lane, lane.isPinned), &lane);
    }
    std::map<std::pair<uint32_t, bool>, int> taken; // for each process, the width of its row that is already
                                                    // used
    for (const DisplayRow& row : list.rows) {
        const std::vector<RowAlarm> alarms = row.kind->alarms(scene, row);
        if (alarms.empty()) continue;
        const auto head = heads.find({scene.tree->processOf(row.lane), row.isPinned});
        for (const RowAlarm& alarm : alarms) {
            DisplayFlag& flag = list.flags.emplace_back();
            flag.slice = {row.track.report, alarm.slice};
            flag.lane = row.lane;
            flag.isPinned = row.isPinned;
            flag.x = list.headerWidth + alarm.x;
            flag.bottom = row.y + row.height;
            flag.text = alarm.text;
            // The row of a collapsed process shows other content, and an invisible process has no row.
            const bool hasRow = head != heads.end() && !head->second->isCollapsed;
            flag.top = hasRow ? head->second->y + list.metrics.line : row.y;
            if (!hasRow) continue;
            int& full = taken[head->first];
            const int width = static_cast<int>(std::ceil(view.font->widthOf(flag.text) * 1.1f)) +
                              2 * list.metrics.labelPadding;
            // At the right edge the flag extends to the left.
            const int left = flag.x + width > list.size.width ? flag.x + list.metrics.pole - width : flag.x;
            if (left < std::max(full, list.headerWidth)) continue;
            flag.left = left;
            flag.width = width;
            full = left + width + list.metrics.labelPadding;
        }
    }
}

// Separates consecutive captures of the same track on one row of a lane, each of which is a DisplayRow. If
// the last pixel of one capture is the first pixel of the next, makes every slice visible and clickable: wide
// slices are shortened by a pixel; narrow slices and samples are merged into the earlier capture's column.
// rows: rows at the same place may be anywhere in the list, but must be in chronological order.
void separateSharedRows(std::vector<DisplayRow>& rows)
{
    std::map<std::tuple<bool, uint32_t, int>, DisplayRow*> lastAt; // rows by place
    for (DisplayRow& row : rows) {
        const auto [entry, isFirst] = lastAt.try_emplace({row.isPinned, row.lane, row.y}, &row);
        if (isFirst) continue;
        DisplayRow& earlier = *entry->second;
        const int end = row.kind->endOf(earlier);
        if (end > 0) row.kind->separate(end - 1, earlier, row);
        // If many captures share one pixel, they become one column of the first capture.
        if (row.kind->endOf(row) > 0) entry->second = &row;
    }
}

// The rows in the previous frame: rows with the same content are reused, the others provide memory.
class RecycledRows {
  public:
    RecycledRows(DisplayList last, const Scene& scene, const FrameView& view) : m_last(std::move(last))
    {
        for (DisplayRow& row : m_last.rows) {
            if (row.contentKey != nullptr) m_sameContent.emplace(keyOf(row), &row);
        }
        const bool isSame = m_last.tree == scene.tree && m_last.generation == scene.generation &&
                            m_last.scale == view.scale() &&
                            m_last.timeWidth() == view.size.width - view.headerWidth &&
                            m_last.metrics == view.metrics() && m_last.hits == view.hits &&
                            m_last.hidden == view.hidden && m_last.memoryLook == view.flow->memoryLook;
        if (!isSame) return;
        for (DisplayRow& row : m_last.rows) {
            if (isReusable(row)) m_known.emplace(keyOf(row), &row);
        }
    }

    // Reuses the shapes of a row if possible; returns true if they could be reused.
    bool fill(DisplayRow& row)
    {
        const auto found = isReusable(row) ? m_known.find(keyOf(row)) : m_known.end();
        if (found == m_known.end()) return false;
        static_cast<RowContent&>(row) = std::move(static_cast<RowContent&>(*found->second));
        m_known.erase(found);
        return true;
    }

    // Provides the memory of an unused row, for rows with a content key of the row with the same key; call
    // after all reusable rows are filled.
    void reuseMemory(DisplayRow& row)
    {
        const auto same = row.contentKey != nullptr ? m_sameContent.find(keyOf(row)) : m_sameContent.end();
        if (same != m_sameContent.end()) {
            static_cast<RowContent&>(row) = std::move(static_cast<RowContent&>(*same->second));
            m_sameContent.erase(same);
            return row.clear();
        }
        while (m_next < m_last.rows.size()) {
            DisplayRow& from = m_last.rows[m_next++];
            if (from.columns.capacity() + from.spans.capacity() == 0) continue;
            static_cast<RowContent&>(row) = std::move(static_cast<RowContent&>(from));
            if (from.kind != row.kind) row.data = {};
            return row.clear();
        }
    }

  private:
    using Key = std::tuple<const void*, const void*, const void*, uint32_t, uint16_t, int>;

    static bool isReusable(const DisplayRow& row)
    {
        return row.source != nullptr || row.contentKey != nullptr;
    }
    static Key keyOf(const DisplayRow& row)
    {
        return {row.kind, row.source, row.contentKey.get(), row.lane, row.depth, row.height};
    }

    DisplayList m_last;
    std::map<Key, DisplayRow*> m_known;
    std::map<Key, DisplayRow*> m_sameContent; // rows with a content key, whose data may be useful again
    size_t m_next = 0;
};

class FrameLayout {
  public:
    FrameLayout(const Scene& scene, const FrameView& view, DisplayList recycled)
        : m_view(view), m_recycled(std::move(recycled), scene, view),
          m_frame{scene, view, view.metrics(), ByReport<PixelScale>(scene.shown.slotCount()), {}, {}}
    {
        DisplayList& list = m_frame.list;
        list.size = view.size;
        list.metrics = view.metrics();
        list.headerWidth = view.headerWidth;
        list.pinnedHeight = std::min(view.flow->pinnedHeight, view.size.height / 2);
        list.contentHeight = view.flow->scrollingHeight;
        list.visible = view.visible;
        list.scale = view.scale();
        list.tree = scene.tree;
        list.generation = scene.generation;
        list.memoryLook = view.flow->memoryLook;
        list.hits = view.hits;
        list.hidden = view.hidden;
        list.selectedRange = view.selection.range;
        for (const ReportKey key : scene.shown.keys()) {
            m_frame.scales[key] = list.scale.onClock([&map = scene.alignment.map(key)](TimeRange aligned) {
                return map.traceFromAligned(aligned);
            });
        }
    }

    DisplayList run()
    {
        const int pinned = m_frame.list.pinnedHeight;
        const std::optional<LanePlace> process = processInView(pinned);
        if (process) m_frame.list.pinnedHeight = process->bottom;
        place(m_view.flow->scrolling, pinned - m_view.scroll, m_frame.list.pinnedHeight, m_view.size.height,
              false);
        place(m_view.flow->pinned, 0, 0, pinned, true);
        if (process) place(*process);
        if (m_frame.width() > 0) fillRows();
        layOutAlarmFlags(m_frame.scene, m_view, m_frame.list);
        layOutAreas(m_frame.scene, m_view, m_frame.list);
        layOutPicks(m_frame.scene, m_view, m_frame.list);
        layOutHighlights(m_frame.scene, m_view, m_frame.list);
        layOutSelection(m_frame.scene, m_view, m_frame.list);
        return std::move(m_frame.list);
    }

  private:
    // Returns the place of the lane of the process whose lanes are at the top, if the lane itself has
    // scrolled out of view: below the pinned lanes, or as far up as the next process pushes it.
    std::optional<LanePlace> processInView(int pinned) const
    {
        const std::vector<PlacedLane>& lanes = m_view.flow->scrolling;
        const LaneTree& tree = *m_frame.scene.tree;
        const int origin = pinned - m_view.scroll;
        auto at = std::ranges::partition_point(
            lanes, [&](const PlacedLane& lane) { return origin + lane.y + lane.height <= pinned; });
        if (at == lanes.end()) return {};
        const PlacedLane* const process = m_view.flow->processOf(tree, at->lane);
        if (process == nullptr || origin + process->y >= pinned) return {};
        if (process->height > (m_view.size.height - pinned) / 4) return {}; // too little room for its lanes
        const uint16_t level = tree.levelOf(process->lane);
        const auto isOther = [&](const PlacedLane& lane) {
            return &lane != process && tree.levelOf(lane.lane) <= level;
        };
        int y = pinned;
        for (; at != lanes.end() && origin + at->y < pinned + process->height; ++at) {
            if (isOther(*at)) y = std::min(y, origin + at->y - process->height);
        }
        if (y + process->height <= pinned) return {};
        return LanePlace{*process, y, pinned, y + process->height, true};
    }

    void place(const LanePlace& at)
    {
        addHeader(at.lane, at.y, at.isPinned);
        at.lane.kind->place(m_frame, at);
    }

    void place(const std::vector<PlacedLane>& lanes, int origin, int top, int bottom, bool isPinned)
    {
        const auto reaches = [&](const PlacedLane& lane) { return origin + lane.y + lane.height > top; };
        auto lane = std::ranges::partition_point(lanes, [&](const PlacedLane& l) { return !reaches(l); });
        for (; lane != lanes.end() && origin + lane->y < bottom; ++lane) {
            place({*lane, origin + lane->y, top, bottom, isPinned});
        }
    }

    void addHeader(const PlacedLane& placed, int y, bool isPinned)
    {
        const LaneTree& tree = *m_frame.scene.tree;
        const Lane& lane = tree.lane(placed.lane);
        const FrameMetrics& metrics = m_frame.metrics;
        DisplayLane& out = m_frame.list.lanes.emplace_back();
        out.lane = placed.lane;
        out.kind = placed.kind;
        out.y = y;
        out.height = placed.height;
        out.hasTriangle = lane.isCollapsible();
        out.isCollapsed = placed.isCollapsed;
        out.isPinned = isPinned;
        out.isAlternate = placed.isAlternate;
        const bool isHead = lane.subject == LaneSubject::process || lane.subject == LaneSubject::group;
        out.isGroup = placed.map != nullptr || (isHead && !placed.isCollapsed);
        out.indent = metrics.stripeRoom + (isPinned ? 0 : tree.levelOf(placed.lane) * metrics.indent);
        out.rowsShown = placed.rowsShown;
        out.rowHeight = placed.kind->hasRows() ? placed.rowHeight : 0;
        out.value = placed.value;
        std::string label = isPinned && tree.levelOf(placed.lane) > 0 ? tree.pathOf(placed.lane) : lane.label;
        if (const std::string end = " \u00B7 " + lane.warning;
            !lane.warning.empty() && label.ends_with(end)) {
            // The warning must not be elided, so it is shown in place of the value.
            label.erase(label.size() - end.size());
            out.value = lane.warning;
            out.isWarning = true;
        }
        showHitCount(placed.lane, out);
        const float used = static_cast<float>(out.indent + metrics.triangle + 2 * metrics.headerPadding) +
                           (out.value.empty() ? 0 : m_view.font->widthOf(out.value));
        const float room = static_cast<float>(m_view.headerWidth) - used;
        // Bold letters are about 10% wider than the measured ones.
        out.label = isPinned ? elideMiddle(label, room, *m_view.font)
                             : elideEnd(label, out.isGroup ? room * 0.9f : room, *m_view.font);
    }

    // Shows the number of hits instead of the lane's value, but a warning is not replaced.
    void showHitCount(uint32_t lane, DisplayLane& out) const
    {
        if (m_view.hits == nullptr || out.isWarning) return;
        const auto count = m_view.hits->countOf(*m_frame.scene.tree, lane);
        if (!count) return;
        out.value = *count == 0   ? "no hits"
                    : *count == 1 ? "1 hit"
                                  : groupedText(static_cast<int64_t>(*count)) + " hits";
        out.isHitCount = *count > 0;
    }

    // First fills the rows that use the workers themselves, then fills the other rows with one row per worker
    // task.
    void fillRows()
    {
        std::vector<DisplayRow>& rows = m_frame.list.rows;
        std::vector<RowJob> fresh, narrow;
        for (const RowJob& job : m_frame.jobs) {
            DisplayRow& row = rows[job.row];
            row.source = job.sources.empty() ? nullptr : job.sources.data();
            if (!m_recycled.fill(row)) fresh.push_back(job);
        }
        for (const RowJob& job : fresh) {
            DisplayRow& row = rows[job.row];
            m_recycled.reuseMemory(row);
            if (row.kind->isWide()) {
                row.kind->fill(m_frame, job, row);
            } else {
                narrow.push_back(job);
            }
        }
        m_view.workers.run(narrow.size(), [&](size_t i, size_t) {
            DisplayRow& row = rows[narrow[i].row];
            row.kind->fill(m_frame, narrow[i], row);
        });
        separateSharedRows(rows);
        m_view.workers.run(narrow.size(), [&](size_t i, size_t) {
            DisplayRow& row = rows[narrow[i].row];
            row.kind->draw(m_frame.metrics, row);
        });
    }

    const FrameView& m_view;
    RecycledRows m_recycled;
    LaneFrame m_frame;
};

} // namespace

DisplayList layOut(const Scene& scene, const FrameView& view, DisplayList recycled)
{
    return FrameLayout(scene, view, std::move(recycled)).run();
}

} // namespace lockstep
