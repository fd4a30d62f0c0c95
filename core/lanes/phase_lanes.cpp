// SPDX-License-Identifier: Apache-2.0
// The lane of what a process was at: the phases of a reinforcement-learning step. Part of
// ProcessLanesBuilder.
#include "core/lanes/process_lanes_builder.h"

namespace lockstep {

// None where no range has a name that makes it a phase.
void ProcessLanesBuilder::addPhases()
{
    std::vector<PhaseRange> all;
    for (const Member& member : members()) {
        for (PhaseRange range : phaseRangesOf(*member.report, member.key, member.lod->phases(),
                                              member.process, m_out->source().role)) {
            range.range = member.map.alignedFromTrace(range.range);
            all.push_back(range);
        }
    }
    const PhaseTimeline timeline(std::move(all));
    if (timeline.isEmpty()) return;
    at(add(LaneSubject::phases, 0, "phases", "phases")).phases = timeline.segments();
}

} // namespace lockstep
