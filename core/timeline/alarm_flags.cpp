// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/alarm_flags.h"

#include <cmath>
#include <map>

#include "core/timeline/lane_kind.h"

namespace lockstep {

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

} // namespace lockstep
