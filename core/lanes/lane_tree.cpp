// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/lane_tree.h"

#include <algorithm>

#include "core/lanes/lane_tree_builder.h"

namespace lockstep {

uint32_t LaneTree::processOf(uint32_t lane) const
{
    while (lane != kNoLane && this->lane(lane).subject != LaneSubject::process)
        lane = parentOf(lane);
    return lane;
}

uint32_t LaneTree::find(std::string_view key) const
{
    const auto group = m_groupOf.find(key);
    if (group != m_groupOf.end()) return group->second;
    // The key of a lane begins with the key of its process; keys may contain slashes.
    for (size_t slash = key.find('/');; slash = key.find('/', slash + 1)) {
        const auto found = m_processOf.find(key.substr(0, slash));
        if (found != m_processOf.end()) {
            const Process& process = m_processes[found->second];
            const uint32_t lane = process.lanes->find(key);
            if (lane != kNoLane) return process.first + lane;
        }
        if (slash == std::string_view::npos) return kNoLane;
    }
}

uint32_t LaneTree::laneOf(TrackRef track) const
{
    const auto processes =
        std::ranges::equal_range(m_processesOf, track.report, {}, &std::pair<ReportKey, uint32_t>::first);
    for (const auto& [report, index] : processes) {
        const Process& process = m_processes[index];
        const uint32_t lane = process.lanes->laneOf(track);
        if (lane != kNoLane) return process.first + lane;
    }
    return kNoLane;
}

std::string LaneTree::pathOf(uint32_t lane) const
{
    std::string path = this->lane(lane).label;
    for (uint32_t up = parentOf(lane); up != kNoLane; up = parentOf(up))
        path = this->lane(up).label + " \u203A " + path;
    return path;
}

LaneTree buildLaneTree(const Workspace& workspace, const Alignment& alignment, const ReportLods& lods,
                       const LaneOptions& options, const LaneTree* last)
{
    return LaneTreeBuilder(workspace, alignment, lods, options, last).build();
}

} // namespace lockstep
