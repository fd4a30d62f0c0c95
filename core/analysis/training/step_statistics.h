// SPDX-License-Identifier: Apache-2.0
// The `step_statistics` analysis: mean, spread and confidence interval for the durations of training steps,
// phases, device work and kernels, either summarized or as a series by step.
#pragma once

#include <functional>
#include <set>

#include "core/analysis/analysis.h"
#include "core/analysis/training/step_parts.h"

namespace lockstep {

// StepSamples: one value per step for each measured quantity: wall time, phases, device work and the most
// expensive kernels. Computed from StepParts for step_statistics. Thread: any.

struct StepMetric {
    std::string kind; // "step", "phase", "device" or "kernel"
    std::string name; // "wall", "update_actor", "bubble", or the name of the kernel
    std::string doc;
    // Returns the value of one process's step, in ns; nullopt if the process lacks the phase or device. Unset
    // for kernels, which are not part of StepTimes.
    std::function<std::optional<int64_t>(const StepTimes& times)> value = {};
};

// All steps in one group whose numbers have the same meaning.
struct StepSeries {
    GroupKey group;
    StepNaming naming = StepNaming::training;
    std::set<std::string> rules;
    std::vector<int64_t> numbers;    // step numbers, ascending
    std::vector<int64_t> parts;      // by step: number of processes (counted per report)
    std::vector<StepMetric> metrics; // quantities for steps, phases and devices, then kernels
    std::vector<std::vector<std::optional<int64_t>>> values; // values by metric, then by step, in ns
};

// Returns the metrics with which every series begins; kernels follow them.
const std::vector<StepMetric>& stepMetrics();

// A value is the mean over the processes that have the quantity, rounded to 1 ns. Means are used because the
// ranks in a step are not independent samples. kernels: number of kernel names per series; the names with the
// largest sums are chosen. Sorted by group, then by the kind of step number. The only possible error is
// `canceled`.
Result<std::vector<StepSeries>> stepSamples(const AnalysisRequest& request, const StepParts& steps,
                                            size_t kernels, const Progress& progress);

} // namespace lockstep
