// SPDX-License-Identifier: Apache-2.0
// SampleLanes: the samples of a process, one lane for each training step, otherwise for each weight version,
// and one for all if neither is recorded.
#pragma once

#include <array>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/samples/tail.h"

namespace lockstep {

class ProcessLanesBuilder;

struct LaneSample {
    ReportKey report;
    SampleId sample;
    TimeRange time; // aligned; an open sample reaches to the end of its slice
};

struct SampleLaneData {
    std::vector<LaneSample> samples;             // by end, the last one at the bottom
    std::array<bool, kSampleParts> hasPart = {}; // parts that occur in the samples
};

// Adds nothing if the process has no sample with a time.
void addSampleLanes(ProcessLanesBuilder& lanes);

} // namespace lockstep
