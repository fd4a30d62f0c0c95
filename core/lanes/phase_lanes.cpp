// SPDX-License-Identifier: Apache-2.0
// Builds the phase lane of a process: the phases of a reinforcement-learning step. Part of
// ProcessLanesBuilder.
#include "core/lanes/process_lanes_builder.h"

namespace lockstep {

// Adds nothing if no range name is a phase.
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
