// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/process_lanes.h"

#include "core/lanes/process_lanes_builder.h"

namespace lockstep {

std::optional<int> rankOf(const Lane& lane)
{
    const auto* const process = lane.data.as<ProcessLaneData>();
    return process == nullptr ? std::nullopt : process->rank;
}

uint32_t ProcessLanes::find(std::string_view key) const
{
    const auto found = m_byKey.find(key);
    return found == m_byKey.end() ? kNoLane : found->second;
}

uint32_t ProcessLanes::laneOf(TrackRef track) const
{
    const auto found = m_laneOf.find(track);
    return found == m_laneOf.end() ? kNoLane : found->second;
}

std::shared_ptr<const ProcessLanes> buildProcessLanes(ProcessLaneSource source)
{
    return ProcessLanesBuilder(std::move(source)).build();
}

} // namespace lockstep
