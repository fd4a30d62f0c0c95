// SPDX-License-Identifier: Apache-2.0
// StepMarks: the training steps and named ranges by which reports are laid over each other, as the files mark
// them. Found anew from a report's annotations; used by the modes step and marker and as fences when
// collectives are matched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
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

// By which rule ranges on the host are steps.
enum class StepRule : uint8_t { none, profilerStep, numberedRange, namedRange };

struct HostSteps {
    StepRule rule = StepRule::none;
    std::string word;            // "ProfilerStep#", "step" ... or the name asked for; empty for none
    std::vector<StepMark> marks; // by begin; a namedRange is numbered by occurrence, from 0
};

// Whole steps as the host went through them, by ranges on the tracks of one process, or of the whole report
// where `process` is invalid; what is projected on a GPU does not count: it leaves out what lies between two
// launches. `name`: ranges of exactly this name. Empty: the first of these that there are: ProfilerStep#N; of
// ranges with a number those named step, else train_step, training_step, iteration (one kind only: iterations
// within a step are no steps); ranges named just "step". Equal numbers that overlap are one step. O(rows of
// those tracks).
HostSteps findHostSteps(const Report& report, ProcessId process, std::string_view name = {});

// Start of the n-th (0-based) annotation or NVTX range of exactly this name, in time order over the whole
// report.
std::optional<TraceTime> findMarker(const Report& report, std::string_view name, size_t occurrence = 0);

} // namespace lockstep
