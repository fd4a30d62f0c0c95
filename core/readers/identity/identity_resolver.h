// SPDX-License-Identifier: Apache-2.0
// The identity of a report from all sources: its reader (distributedInfo, host names), captured environment
// variables, process names, NVTX and annotation names, and the file's name and folders. Content takes
// precedence over names; two sources that agree confirm each other, and contradictions are reported.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/report.h"

namespace lockstep {

// Capture settings of the session, which map the n-th capture of a process to a training step.
struct CapturePlan {
    std::vector<int> steps;    // profiled training steps, in any order; empty = unknown
    bool isContinuous = false; // true if consecutive steps share a capture
    int stagesPerStep = 1; // captures per step; more than 1 if each stage is captured separately (discrete)
};

// Returns the training step of the captureIndex-th (one-based) capture; for continuous plans, the first step
// that shares the capture. Returns nullopt if the plan does not contain the capture.
std::optional<int> stepOfCapture(const CapturePlan& plan, int captureIndex);

struct ResolvedIdentity {
    Identity identity;
    std::vector<std::string> conflicts; // "rank: 2 (distributedInfo), not 3 (file name)"
    std::vector<int> otherSteps;        // see otherSteps() in core/trace/report_identity.h
};

// Resolves the identity. Pure. Reads the names of NVTX and annotation slices once. Unknown parts stay unknown
// and never default to 0.
ResolvedIdentity resolveIdentity(const Report& report, const CapturePlan& plan = {});

// Returns the report, ready to be shared, with the identity from resolveIdentity() and its conflicts as
// notes.
std::shared_ptr<const Report> withResolvedIdentity(std::unique_ptr<Report> report);

} // namespace lockstep
