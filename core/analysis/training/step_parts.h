// SPDX-License-Identifier: Apache-2.0
// StepPart: what one process of one report saw of one training step: from when to when, by which rule that is
// a step, and what its phases and devices did meanwhile. Made by stepPartsInScope(); added up by the step and
// role analyses. Any thread.
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

// "steps=NAME" of every step analysis.
inline constexpr AnalysisArgument kStepsArgument{
    "steps",
    "ranges of exactly this name are the steps, counted from 0; left out: ranges with a number (ProfilerStep#N, "
    "step N), else ranges named step, else the step that the report is of, whole",
    ArgumentType::text};

// What a step's number counts. Numbers of different kinds are never joined.
enum class StepNaming : uint8_t {
    training, // training steps, as a range or the report's identity numbers them
    profiler, // ProfilerStep#N
    counted,  // ranges without a number, by occurrence
    capture,  // whole reports, by the capture range of their process, from 1: not the number of a training
              // step
    unknown   // whole reports that say no number
};

// What went on during a step, in ns; of several parts the sums.
struct StepTimes {
    int64_t wall_ns = 0;                                    // every phase and outside_ns add up to it
    std::array<std::optional<int64_t>, kRlPhases> phase_ns; // absent: no range of it
    int64_t outside_ns = 0;                                 // in no phase
    int64_t overlap_ns = 0;                                 // in two or more phases, counted once above
    int64_t openRanges = 0;                                 // phases never closed
    // Of processes that have work on a device somewhere in their report; compute, exposedCommunication and
    // exposedCopies add up to busy, busy and bubble to deviceWall.
    bool hasDevice = false;
    int64_t deviceWall_ns = 0, busy_ns = 0, compute_ns = 0, communication_ns = 0, copies_ns = 0;
    int64_t exposedCommunication_ns = 0, exposedCopies_ns = 0;

    int64_t bubble_ns() const { return deviceWall_ns - busy_ns; }
    void add(const StepTimes& other);
};

// One process of one report, on the report's clock.
struct ProcessTrace {
    ReportKey report;
    ProcessId process;
    IntervalSet computation, communication, copies, busy; // of its devices and streams in scope
    bool hasDevice = false;
    std::vector<DeviceId> devices; // that it gave work to
    PhaseTimeline phases;
    std::vector<TraceTime> openPhases;                           // when those never closed began; sorted
    std::map<RlPhase, std::map<std::string, size_t>> phaseNames; // the ranges that are each phase
};

struct StepPart {
    size_t trace = 0; // index in StepParts::traces
    StepNaming naming = StepNaming::unknown;
    int64_t number = 0; // of unknown ones 0
    std::string from;   // the rule, in words
    TimeRange range;    // report clock, clipped to the scope's time range
    SliceId mark;       // invalid where the whole report is the step
    StepTimes times;
};

struct StepParts {
    std::vector<ProcessTrace> traces; // as reports were opened, then by process
    std::vector<StepPart> parts;      // by trace, then by begin
    size_t cut = 0;                   // steps that the time range cuts
    size_t leftOut = 0;               // of them, those that --clip exclude drops
    size_t overlapping = 0;           // steps that begin before an earlier one of their process has ended

    const ProcessTrace& traceOf(const StepPart& part) const { return traces[part.trace]; }
};

// Of the shown reports in scope; processes without a mark of a step, a phase or device work are none. Filters
// of device and stream hold for device work only, of steps for the numbers found here. canceled is the only
// error. O(rows) on all workers.
Result<StepParts> stepPartsInScope(const AnalysisRequest& request, const Progress& progress);

// The group that a step is in: of GroupBy::step its number, else its process'.
GroupKey stepGroupOf(const AnalysisRequest& request, const ProcessTrace& trace, const StepPart& part);

// Whose steps are compared: role and rank where the rank is known, else host and pid.
std::string stepMemberOf(const AnalysisRequest& request, ReportKey report, ProcessId process);

// Rules of counting that hold for all tables of steps, with what was cut and which names are which phase.
void describeSteps(const AnalysisRequest& request, const StepParts& steps, Table& table);

} // namespace lockstep
