// SPDX-License-Identifier: Apache-2.0
// Loss lanes: missing data of a process. It was recorded as lost, or is not collected yet.
#pragma once

#include <vector>

#include "core/base/time.h"

namespace lockstep {

class ProcessLanesBuilder;

struct LossLaneData {
    // The aligned times of the gaps, ascending and disjoint; empty if unknown. The end of a recording that
    // was cut short is a gap up to kAllTime.end.
    std::vector<TimeRange> gaps;
};

void addLossLanes(ProcessLanesBuilder& lanes);

} // namespace lockstep
