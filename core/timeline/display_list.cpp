#include "core/timeline/display_list.h"

#include <sstream>

namespace lockstep {

namespace {

void writeRow(std::ostream& out, const DisplayRow& row)
{
    static constexpr const char* kShapes[] = {"slices", "busy", "counter", "hatch"};
    out << "  row y=" << row.y << " h=" << row.height << ' ' << kShapes[static_cast<size_t>(row.shape)];
    if (row.isSummary) out << " summary";
    if (row.depth > 0) out << " depth=" << row.depth;
    out << '\n';
    for (const DenseColumn& column : row.columns) {
        out << "    | " << column.x << " x" << column.count << ' ' << int(column.occupancy) << "/255 "
            << sliceCategoryName(column.category) << '\n';
    }
    for (const SliceBox& box : row.boxes) {
        out << "    [" << box.begin << ", " << box.end << ") " << sliceCategoryName(box.category);
        if (box.isOpenEnd) out << " open";
        if (box.labelLength > 0) out << " \"" << row.labelOf(box) << '"';
        out << '\n';
    }
    const CounterColumn* last = nullptr;
    for (const CounterColumn& sample : row.samples) {
        if (last == nullptr || last->min != sample.min || last->max != sample.max) {
            out << "    ~ " << sample.x << ' ' << sample.min << ".." << sample.max << '\n';
        }
        last = &sample;
    }
}

} // namespace

std::string displayListText(const DisplayList& list)
{
    std::ostringstream out;
    out << "frame " << list.size.width << 'x' << list.size.height << " header " << list.headerWidth
        << " visible [" << list.visible.begin.ns << ", " << list.visible.end.ns << ")\n";
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
    for (const DisplayMark& mark : list.marks) {
        out << "mark " << mark.x << ',' << mark.y << ' ' << mark.width << 'x' << mark.height
            << (mark.isSelected ? " selected" : " linked") << '\n';
    }
    return out.str();
}

} // namespace lockstep
