#include "core/lanes/lane_tree.h"

#include "core/lanes/lane_tree_builder.h"

namespace lockstep {

uint32_t LaneTree::find(std::string_view key) const
{
    const auto found = m_byKey.find(std::string(key));
    return found == m_byKey.end() ? kNoLane : found->second;
}

uint32_t LaneTree::laneOf(TrackRef track) const
{
    if (!m_laneOfTrack.has(track.report)) return kNoLane;
    const auto& lanes = m_laneOfTrack[track.report];
    return track.track.value < lanes.size() ? lanes[track.track.value] : kNoLane;
}

std::string LaneTree::pathOf(uint32_t lane) const
{
    std::string path = m_lanes[lane].label;
    for (uint32_t up = m_lanes[lane].parent; up != kNoLane; up = m_lanes[up].parent) {
        path = m_lanes[up].label + " \u203A " + path;
    }
    return path;
}

LaneTree buildLaneTree(const Workspace& workspace, const Alignment& alignment, const ReportLods& lods,
                       const LaneOptions& options)
{
    return LaneTreeBuilder(workspace, alignment, lods, options).build();
}

} // namespace lockstep
