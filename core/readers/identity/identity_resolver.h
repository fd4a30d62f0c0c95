// SPDX-License-Identifier: Apache-2.0
// The identity of a report, from everything that tells: what its reader found (distributedInfo, host names),
// captured environment variables, process names, NVTX and annotation names, and the file's name and folders.
// What the content says goes before what a name says; two sources that agree confirm each other, two that
// differ are told.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/report.h"

namespace lockstep {

// How the session asked for captures: what turns the n-th capture of a process into a training step.
struct CapturePlan {
    std::vector<int> steps;    // profiled training steps, any order; empty = not known
    bool isContinuous = false; // neighbouring steps share one capture (verl profile_continuous_steps)
    int stagesPerStep = 1;     // captures per step; above 1 when each stage is captured by itself (discrete)
};

// The training step of the captureIndex-th (1-based) capture; for continuous plans the first of its group.
// Empty when the plan does not say.
std::optional<int> stepOfCapture(const CapturePlan& plan, int captureIndex);

struct ResolvedIdentity {
    Identity identity;
    std::vector<std::string> conflicts; // "rank: 3 (file name) but 2 (distributedInfo)"
    std::vector<int> otherSteps;        // see otherSteps() of core/trace/report_identity.h
};

// Pure. Walks the names of NVTX and annotation slices once. Unknown parts stay unknown: nothing is numbered 0
// by default.
ResolvedIdentity resolveIdentity(const Report& report, const CapturePlan& plan = {});

// The report, to be shared from now on, with what resolveIdentity() finds as its identity, and its conflicts
// as notes.
std::shared_ptr<const Report> withResolvedIdentity(std::unique_ptr<Report> report);

} // namespace lockstep
