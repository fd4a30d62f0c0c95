// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/phase_lanes.h"

#include "core/lanes/process_lanes_builder.h"

namespace lockstep {

void addPhaseLane(ProcessLanesBuilder& lanes)
{
    std::vector<PhaseRange> all;
    for (const ProcessLaneSource::Member& member : lanes.members()) {
        for (PhaseRange range : phaseRangesOf(*member.report, member.key, member.lod->phases(),
                                              member.process, lanes.source().role)) {
            range.range = member.map.alignedFromTrace(range.range);
            all.push_back(range);
        }
    }
    const PhaseTimeline timeline(std::move(all));
    if (timeline.isEmpty()) return;
    const uint32_t lane = lanes.add(LaneSubject::other, 0, "phases", "phases");
    lanes.at(lane).data.set(PhaseLaneData{timeline.segments()});
}

} // namespace lockstep
