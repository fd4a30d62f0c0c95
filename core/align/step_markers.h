// SPDX-License-Identifier: Apache-2.0
// StepMarks: the training steps and named ranges by which reports can be overlaid. Searched in a report's
// annotations; used by the modes step and marker and as fences when collectives are matched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/report.h"

namespace lockstep {

struct StepMark {
    // as in the marker; for stage names without a number, the zero-based occurrence of the name
    int64_t number = 0;
    TimeRange range; // report clock
    SliceId slice;   // invalid if the entire report is the step
    bool isOnGpu = false;
};

// Returns the steps in chronological order, from the first of these sources that the report contains:
// "ProfilerStep#N"; ranges named step, iteration or train_batch with a number ("step 12", "iteration_3");
// ranges of RL trainers for a stage (train_batch, update_actor, actor_update, step); the step in the report's
// identity, as a single mark over the entire extent. Annotations projected onto the GPU take precedence over
// annotations on the host. Numbers are the profiler's own, and ProfilerStep#N does not count RL steps.
std::vector<StepMark> findSteps(const Report& report);

// Rule by which host ranges are recognized as steps.
enum class StepRule : uint8_t {
    none,
    profilerStep,
    numberedRange,
    namedRange,
    record,     // spans in which a framework records whole steps
    recordBegin // from one span with this name to the next
};

struct HostSteps {
    StepRule rule = StepRule::none;
    std::string word;            // "ProfilerStep#", "step", ..., or the requested name; empty for none
    std::vector<StepMark> marks; // sorted by begin; the number of a namedRange or a
                                 // record is its zero-based occurrence
};

// Returns complete host steps from ranges on the tracks of one process, or of the whole report if `process`
// is invalid. GPU projections are ignored, because they omit the time between two launches. `name` selects
// ranges with exactly this name. If it is empty, the first existing kind in this list is used:
// ProfilerStep#N; ranges with a number named step, otherwise train_step, training_step or iteration (only one
// kind, because iterations within a step are not steps); ranges named exactly "step"; records that recipes
// name as steps, with a number (a numberedRange) or without, or as their beginnings. Overlapping ranges with
// the same number are one step. O(rows of those tracks).
HostSteps findHostSteps(const Report& report, ProcessId process, std::string_view name = {});

// Returns the start of the n-th (zero-based) annotation or NVTX range with exactly this name, in
// chronological order over the whole report.
std::optional<TraceTime> findMarker(const Report& report, std::string_view name, size_t occurrence = 0);

} // namespace lockstep
