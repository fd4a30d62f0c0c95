// SPDX-License-Identifier: Apache-2.0
// StepMarks: the training steps and named ranges by which reports are laid over each other, as the files mark
// them. Found anew from a report's annotations; used by the modes step and marker and as fences when
// collectives are matched.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/trace/report.h"

namespace lockstep {

struct StepMark {
    int64_t number = 0; // as the marker says it; of stage names without a number the occurrence, from 0
    TimeRange range;    // report clock
    SliceId slice;      // invalid when the whole report is the step
    bool isOnGpu = false;
};

// Steps in time order, from the first of these that the report has: "ProfilerStep#N"; ranges named step,
// iteration or train_batch with a number ("step 12", "iteration_3"); verl's stage ranges (train_batch,
// update_actor, actor_update, step); the step its identity states, as one mark over the whole extent.
// Annotations projected on the GPU win over the host's. Numbers are the profiler's: ProfilerStep#N does not
// count RL steps.
std::vector<StepMark> findSteps(const Report& report);

// Start of the n-th (0-based) annotation or NVTX range of exactly this name, in time order over the whole
// report.
std::optional<TraceTime> findMarker(const Report& report, std::string_view name, size_t occurrence = 0);

} // namespace lockstep
