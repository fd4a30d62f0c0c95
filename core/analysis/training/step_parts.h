// SPDX-License-Identifier: Apache-2.0
// StepPart: one process's share of one training step, in one report. Contains its time range, the rule that
// defines the step, and the times of its phases and devices. Created by stepPartsInScope(); summed by the
// step and role analyses. Thread: any.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/base/interval_set.h"
#include "core/lanes/phase_timeline.h"

namespace lockstep {

// The argument "steps=NAME" that all step analyses share.
inline constexpr AnalysisArgument kStepsArgument{
    "steps",
    "ranges with exactly this name are the steps, counted from 0; "
    "default: ranges with a number (ProfilerStep#N, step N), else ranges "
    "named step, else the whole report as its recorded step",
    ArgumentType::text};

// The meaning of a step's number. Steps whose numbers have different meanings are never combined.
enum class StepNaming : uint8_t {
    training, // training steps, numbered by a range or by the report's identity
    profiler, // ProfilerStep#N
    counted,  // ranges without a number, numbered by occurrence
    capture,  // whole reports, numbered by the capture range of their process (one-based); these are not
              // training step numbers
    unknown   // whole reports without a number
};

// Times within a step, in ns. For several parts, the sums of their times.
struct StepTimes {
    int64_t wall_ns = 0;                                    // wall time: the sum of all phases and outside_ns
    std::array<std::optional<int64_t>, kRlPhases> phase_ns; // nullopt if the step has no range for this phase
    int64_t outside_ns = 0;                                 // time outside all phases
    int64_t overlap_ns = 0;                                 // time in two or more phases; the members above
                                                            // count it only once
    int64_t openRanges = 0;                                 // number of phases that were never closed
    // Set only for processes that have device work anywhere in their report. compute, exposedCommunication
    // and exposedCopies add up to busy; busy and bubble add up to deviceWall.
    bool hasDevice = false;
    int64_t deviceWall_ns = 0, busy_ns = 0, compute_ns = 0, communication_ns = 0, copies_ns = 0;
    int64_t exposedCommunication_ns = 0, exposedCopies_ns = 0;

    int64_t bubble_ns() const { return deviceWall_ns - busy_ns; }
    void add(const StepTimes& other);
};

// One process in one report, on the report's clock.
struct ProcessTrace {
    ReportKey report;
    ProcessId process;
    IntervalSet computation, communication, copies, busy; // on the process's devices and streams in scope
    bool hasDevice = false;
    std::vector<DeviceId> devices; // devices to which the process submitted work
    PhaseTimeline phases;
    std::vector<TraceTime> openPhases; // starts of the phases that were never closed; sorted
    std::map<RlPhase, std::map<std::string, size_t>>
        phaseNames; // names and counts of the ranges in each phase
};

struct StepPart {
    size_t trace = 0; // index in StepParts::traces
    StepNaming naming = StepNaming::unknown;
    int64_t number = 0; // 0 for unknown
    std::string from;   // how the step was identified
    TimeRange range;    // on the report's clock, clipped to the scope's time range
    SliceId mark;       // invalid if the step is the whole report
    StepTimes times;
};

struct StepParts {
    std::vector<ProcessTrace> traces; // in the order in which reports were opened, then by process
    std::vector<StepPart> parts;      // sorted by trace, then by start
    size_t cut = 0;                   // number of steps that the time range clips
    size_t excluded = 0;              // number of clipped steps that --clip exclude dropped
    size_t overlapping = 0;           // number of steps that begin before an earlier step in their process
                                      // has ended

    const ProcessTrace& traceOf(const StepPart& part) const { return traces[part.trace]; }
};

// Collects the parts in the visible reports in scope. Skips processes that have no step marks, no phases and
// no device work. Device and stream filters apply only to device work; step filters apply to the step numbers
// found here. The only possible error is `canceled`. O(rows) on all workers.
Result<StepParts> stepPartsInScope(const AnalysisRequest& request, const Progress& progress);

// Returns the group of a step: its number for GroupBy::step, otherwise the group of its process.
GroupKey stepGroupOf(const AnalysisRequest& request, const ProcessTrace& trace, const StepPart& part);

// Returns the key of the process whose steps are compared: role and rank if the rank is known, otherwise host
// and process ID.
std::string stepMemberOf(const AnalysisRequest& request, ReportKey report, ProcessId process);

// Adds the counting rules that apply to all tables with steps, including rules about the clipped steps and
// the range names of each phase.
void describeSteps(const AnalysisRequest& request, const StepParts& steps, TableSource& source);

} // namespace lockstep
