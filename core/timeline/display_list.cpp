// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/display_list.h"

#include <algorithm>
#include <limits>
#include <sstream>

#include "core/timeline/lane_kind.h"

namespace lockstep {

namespace {

void writeRow(std::ostream& out, const DisplayRow& row)
{
    out << "  row y=" << row.y << " h=" << row.height << ' ' << row.kind->name();
    if (row.isSummary) out << " summary";
    if (row.depth > 0) out << " depth=" << row.depth;
    out << '\n';
    row.kind->write(out, row);
}

} // namespace

void RowContent::clear()
{
    isFlat = hasAreas = isSearched = false;
    columns.clear();
    boxes.clear();
    hitColumns.clear();
    labels.clear();
    spans.clear();
    text.clear();
}

void addMerged(std::vector<Span>& spans, const Span& span, size_t& last)
{
    if (last < spans.size()) {
        Span& before = spans[last];
        if (before.end == span.begin && before.top == span.top && before.bottom == span.bottom &&
            before.ink == span.ink) {
            before.end = span.end;
            return;
        }
    }
    last = spans.size();
    spans.push_back(span);
}

std::vector<std::vector<uint32_t>> disjointRowGroups(const DisplayList& list, bool pinned)
{
    std::vector<uint32_t> byPlace;
    for (uint32_t i = 0; i < list.rows.size(); ++i) {
        if (list.rows[i].isPinned == pinned) byPlace.push_back(i);
    }
    std::ranges::stable_sort(byPlace, {}, [&](uint32_t i) { return list.rows[i].y; });
    std::vector<std::vector<uint32_t>> groups;
    int bottom = std::numeric_limits<int>::min();
    for (const uint32_t i : byPlace) {
        const DisplayRow& row = list.rows[i];
        if (groups.empty() || row.y >= bottom) groups.emplace_back();
        groups.back().push_back(i);
        bottom = std::max(bottom, row.y + row.height);
    }
    for (std::vector<uint32_t>& group : groups)
        std::ranges::sort(group);
    return groups;
}

std::string displayListText(const DisplayList& list)
{
    std::ostringstream out;
    out << "frame " << list.size.width << 'x' << list.size.height << " header " << list.headerWidth
        << " visible [" << list.visible.begin.ns << ", " << list.visible.end.ns << ")\n";
    for (const ScalePart& part : list.scale.parts()) {
        if (part.isFolded())
            out << "gap " << part.begin << ".." << part.end << " of " << part.gap.length().ns << " ns\n";
    }
    size_t row = 0;
    for (const DisplayLane& lane : list.lanes) {
        out << "lane y=" << lane.y << " h=" << lane.height << " indent=" << lane.indent << ' '
            << (!lane.hasTriangle  ? "  "
                : lane.isCollapsed ? "> "
                                   : "v ")
            << lane.label;
        if (!lane.value.empty()) out << " (" << lane.value << ')';
        if (lane.isPinned) out << " pinned";
        out << '\n';
        for (; row < list.rows.size() && list.rows[row].lane == lane.lane; ++row)
            writeRow(out, list.rows[row]);
    }
    for (const DisplayLink& link : list.links) {
        out << "link " << link.x0 << ',' << link.y0 << " -> " << link.x1 << ',' << link.y1
            << (link.isUndecided ? " undecided" : "") << '\n';
    }
    if (!list.measure.empty())
        out << "measure " << list.measure << (list.isMeasureUndecided ? " undecided" : "") << '\n';
    for (const DisplayFlag& flag : list.flags) {
        out << "flag " << flag.x << ',' << flag.top << ".." << flag.bottom;
        if (flag.width > 0)
            out << " at " << flag.left << " width " << flag.width << " \"" << flag.text << '"';
        out << '\n';
    }
    for (const DisplayArea& area : list.areas) {
        out << "area " << area.x << ',' << area.y << ' ' << area.width << 'x' << area.height
            << (area.isPinned ? " pinned" : "") << '\n';
    }
    for (const DisplayMark& mark : list.marks) {
        out << "mark " << mark.x << ',' << mark.y << ' ' << mark.width << 'x' << mark.height
            << (mark.isSelected ? " selected" : " linked") << '\n';
    }
    return out.str();
}

} // namespace lockstep
