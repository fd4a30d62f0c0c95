// SPDX-License-Identifier: Apache-2.0
// StepSamples: one number a step for everything that is measured of steps: wall time, phases, device work and
// the kernels that take most. Made for step_statistics of StepParts; any thread.
#pragma once

#include <set>

#include "core/analysis/training/step_parts.h"

namespace lockstep {

struct StepMetric {
    std::string kind; // "step", "phase", "device" or "kernel"
    std::string name; // "wall", "update_actor", "bubble", or the kernel's
    std::string doc;
};

// All steps of one group whose numbers count the same.
struct StepSeries {
    GroupKey group;
    StepNaming naming = StepNaming::training;
    std::set<std::string> rules;
    std::vector<int64_t> numbers;    // ascending
    std::vector<int64_t> parts;      // by step: processes of reports
    std::vector<StepMetric> metrics; // those of steps, phases and devices, then kernels
    std::vector<std::vector<std::optional<int64_t>>> values; // by metric, then by step, in ns
};

// The metrics that every series begins with; kernels follow.
std::vector<StepMetric> stepMetrics();

// A value is the mean over the processes that have what is measured, rounded to 1 ns: ranks of one step are
// not samples of their own. kernels: how many of the names with the greatest sums, of each series. Ordered by
// group, then kind of number. canceled.
Result<std::vector<StepSeries>> stepSamples(const AnalysisRequest& request, const StepParts& steps,
                                            size_t kernels, const Progress& progress);

} // namespace lockstep
