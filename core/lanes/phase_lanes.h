// SPDX-License-Identifier: Apache-2.0
// Phase lanes: the activity of a process by the phases of a reinforcement-learning step: generation, reward,
// updates.
#pragma once

#include <vector>

#include "core/lanes/phase_timeline.h"

namespace lockstep {

class ProcessLanesBuilder;

struct PhaseLaneData {
    std::vector<PhaseSegment> segments; // aligned, ascending, disjoint
};

// Adds nothing if no range name is a phase.
void addPhaseLane(ProcessLanesBuilder& lanes);

} // namespace lockstep
