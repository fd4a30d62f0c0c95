// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/memory_flags.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace lockstep {

namespace {

// Returns "OOM, 2.0 GiB requested" for "out of memory: 2.0 GiB requested" (or " asked" in files from earlier
// versions).
std::string flagText(std::string_view name)
{
    constexpr std::string_view kBefore = "out of memory: ";
    if (!name.starts_with(kBefore)) return "OOM";
    name.remove_prefix(kBefore.size());
    for (const std::string_view after : {" requested", " asked"}) {
        if (!name.ends_with(after)) continue;
        name.remove_suffix(after.size());
        return "OOM, " + std::string(name) + " requested";
    }
    return "OOM";
}

} // namespace

void layOutMemoryFlags(const Scene& scene, const FrameView& view, DisplayList& list)
{
    std::map<std::pair<uint32_t, bool>, const DisplayLane*> heads; // headers of processes in the frame
    for (const DisplayLane& lane : list.lanes) {
        if (scene.tree->lane(lane.lane).subject == LaneSubject::process)
            heads.emplace(std::pair(lane.lane, lane.isPinned), &lane);
    }
    std::map<std::pair<uint32_t, bool>, int> taken; // for each process, the width of its row that is already
                                                    // used
    for (const DisplayRow& row : list.rows) {
        if (row.memory.empty() || row.marks.empty()) continue;
        const auto head = heads.find({scene.tree->processOf(row.lane), row.isPinned});
        for (const RowMark& mark : row.marks) {
            if (!mark.isAlarm) continue;
            DisplayFlag& flag = list.flags.emplace_back();
            flag.slice = {row.track.report, mark.slice};
            flag.lane = row.lane;
            flag.isPinned = row.isPinned;
            flag.x = list.headerWidth + mark.x;
            flag.bottom = row.y + row.height;
            flag.text = flagText(scene.shown.report(row.track.report).nameOf(mark.slice));
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

} // namespace lockstep
