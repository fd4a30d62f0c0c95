// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/step_parts.h"

#include <algorithm>

#include "core/align/step_markers.h"
#include "core/analysis/empty_table.h"
#include "core/analysis/row_kinds.h"
#include "core/analysis/training/kernel_class.h"
#include "core/lanes/phase_slices.h"

namespace lockstep {

namespace {

constexpr RowKinds kDeviceKinds =
    rowKinds({RowKind::kernel, RowKind::memcpy, RowKind::memset, RowKind::graphLaunch});

// A step of a process, before the times within the step are computed.
struct FoundStep {
    StepNaming naming;
    int64_t number;
    std::string from;
    TimeRange range;
    SliceId mark;
};

// Collects the relevant rows of one process in one pass.
class TraceReading {
  public:
    TraceReading(const AnalysisRequest& request, ReportKey key, ProcessId process, const Progress& progress)
        : m_request(request), m_report(request.workspace.report(key)), m_progress(progress),
          m_phaseNames(m_report, request.workspace.identity(key, process).role.value.value_or(""))
    {
        m_trace.report = key;
        m_trace.process = process;
    }

    void read()
    {
        Scope hostScope = m_request.scope;
        hostScope.steps.clear(); // step filters apply to the steps that were found, not to the report
        Scope deviceScope = hostScope;
        hostScope.devices.clear();
        hostScope.streams.clear();
        for (const Track& track : m_report.tracks) {
            if (track.key.process != m_trace.process || m_progress.isCanceled()) continue;
            const bool isHost = PhaseNames::mayHavePhases(track);
            const bool isDevice =
                track.key.kind == TrackKind::gpuStream || track.key.kind == TrackKind::gpuGraph;
            if (isHost && isInScope(hostScope, m_request.workspace, m_trace.report, track)) addPhases(track);
            if (isDevice && isInScope(deviceScope, m_request.workspace, m_trace.report, track))
                addWork(track);
        }
        m_trace.computation = IntervalSet::unionOf(std::move(m_work[0]));
        m_trace.communication = IntervalSet::unionOf(std::move(m_work[1]));
        m_trace.copies = IntervalSet::unionOf(std::move(m_work[2]));
        std::vector<TimeRange> all;
        for (const IntervalSet* const set : {&m_trace.computation, &m_trace.communication, &m_trace.copies})
            all.insert(all.end(), set->ranges().begin(), set->ranges().end());
        m_trace.busy = IntervalSet::unionOf(std::move(all));
    }

    bool hasPhases() const { return !m_phases.empty(); }
    bool hasDevice() const { return m_trace.hasDevice; }
    ProcessTrace finished(std::span<const FoundStep> steps)
    {
        std::vector<TimeRange> ranges;
        for (const FoundStep& step : steps)
            ranges.push_back(step.range);
        std::ranges::sort(ranges, {}, &TimeRange::begin);
        closeOpenRanges(m_phases, ranges, lastClosedEnd(m_report));
        for (const PhaseRange& phase : m_phases) {
            if (phase.isOpen) m_trace.openPhases.push_back(phase.range.begin);
        }
        std::ranges::sort(m_trace.openPhases);
        m_trace.phases = PhaseTimeline(std::move(m_phases));
        return std::move(m_trace);
    }

  private:
    void addPhases(const Track& track)
    {
        for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount; ++row) {
            if (row % kRowsBetweenChecks == 0 && m_progress.isCanceled()) return;
            const auto phase = m_phaseNames.of(SliceId(row));
            if (!phase) continue;
            const bool isOpen = (m_report.slices.flags[row] & sliceFlag::kOpenEnd) != 0;
            m_phases.push_back({m_report.slices.range(SliceId(row)), *phase, isOpen});
            ++m_trace.phaseNames[*phase][std::string(m_report.nameOf(SliceId(row)))];
        }
    }

    void addWork(const Track& track)
    {
        bool isUsed = false;
        for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount; ++row) {
            if (row % kRowsBetweenChecks == 0 && m_progress.isCanceled()) return;
            if (!holds(kDeviceKinds, m_report.slices.kind[row])) continue;
            const KernelClass of = kernelClassOf(m_report, SliceId(row));
            m_work[of == KernelClass::communication ? 1
                   : of == KernelClass::memory      ? 2
                                                    : 0]
                .push_back(m_report.slices.range(SliceId(row)));
            isUsed = true;
        }
        m_trace.hasDevice |= isUsed;
        const auto& devices = m_trace.devices;
        if (isUsed && std::ranges::find(devices, track.key.device) == devices.end())
            m_trace.devices.push_back(track.key.device);
    }

    const AnalysisRequest& m_request;
    const Report& m_report;
    const Progress& m_progress;
    PhaseNames m_phaseNames;
    std::vector<PhaseRange> m_phases;
    std::array<std::vector<TimeRange>, 3> m_work; // interval sets for computation, communication and copies
    ProcessTrace m_trace;
};

std::string ruleText(const HostSteps& steps, bool isOwn)
{
    const std::string of = isOwn ? "" : " of another process of the report";
    if (steps.rule == StepRule::namedRange) return "ranges '" + steps.word + "'" + of + ", counted from 0";
    if (steps.rule == StepRule::profilerStep) return "ranges 'ProfilerStep#N'" + of;
    if (steps.rule == StepRule::record) return "records '" + steps.word + "'" + of + ", counted from 0";
    if (steps.rule == StepRule::recordBegin)
        return "from one record '" + steps.word + "'" + of + " to the next, counted from 0";
    return "ranges '" + steps.word + " N'" + of;
}

// Finds the steps in a process. hasPhases: whether it has ranges that are phases of an RL step.
std::vector<FoundStep> stepsOf(const AnalysisRequest& request, ReportKey key, ProcessId process,
                               bool hasPhases, bool& hasOwnMarks)
{
    const Report& report = request.workspace.report(key);
    const std::string name(request.arguments.text("steps"));
    const std::optional<int> recordedStep = request.workspace.identity(key, process).step.value;
    HostSteps marks = findHostSteps(report, process, name);
    const bool isOwn = marks.rule != StepRule::none;
    hasOwnMarks = isOwn;
    if (!isOwn) marks = findHostSteps(report, {}, name);
    // A scheduled profiler numbers the mini-batches of a training step this way (verl-project/verl 1dda039b
    // verl/utils/profiler/torch_profile.py).
    const bool areParts = marks.rule == StepRule::profilerStep && hasPhases && recordedStep;
    std::vector<FoundStep> out;
    if (marks.rule != StepRule::none && !areParts) {
        const bool isRecorded =
            name.empty() && marks.rule == StepRule::namedRange && marks.marks.size() == 1 && recordedStep;
        for (const StepMark& mark : marks.marks) {
            FoundStep step{StepNaming::training, mark.number, ruleText(marks, isOwn), mark.range, mark.slice};
            if (isRecorded) {
                step.number = *recordedStep;
                step.from = "range 'step', numbered like its report";
            } else if (marks.rule == StepRule::profilerStep) {
                step.naming = StepNaming::profiler;
            } else if (marks.rule != StepRule::numberedRange) {
                step.naming = StepNaming::counted;
            }
            if ((report.slices.flags[mark.slice.value] & sliceFlag::kOpenEnd) != 0)
                step.from += ", never closed: it ends with the capture";
            out.push_back(std::move(step));
        }
        return out;
    }
    if (!name.empty() || report.extent.isEmpty()) return out;
    if (recordedStep) {
        out.push_back({StepNaming::training,
                       *recordedStep,
                       "the whole report as its recorded step",
                       report.extent,
                       {}});
    } else if (const auto& capture = request.workspace.identity(key, process).captureIndex;
               capture.isKnown()) {
        out.push_back({StepNaming::capture,
                       *capture.value,
                       "the whole report, numbered by its capture range: the step is unknown",
                       report.extent,
                       {}});
    } else {
        out.push_back({StepNaming::unknown, 0, "the whole report: the step is unknown", report.extent, {}});
    }
    return out;
}

bool isStepInScope(const AnalysisRequest& request, ReportKey key, const FoundStep& step)
{
    const auto& steps = request.scope.steps;
    if (steps.empty()) return true;
    const bool isNamed =
        step.naming < StepNaming::capture && std::ranges::any_of(steps, [&](const NumberRange& range) {
            return range.first <= step.number && step.number <= range.last;
        });
    const bool isWhole = !step.mark.isValid();
    return isNamed || (isWhole && hasOtherStepInScope(request.scope, request.workspace, key));
}

StepTimes timesOf(const ProcessTrace& trace, TimeRange range)
{
    StepTimes times;
    times.wall_ns = range.length().ns;
    times.phase_ns = trace.phases.within(range);
    times.outside_ns = times.wall_ns;
    for (const auto& phase : times.phase_ns)
        times.outside_ns -= phase.value_or(0);
    times.overlap_ns = trace.phases.overlap().lengthWithin(range).ns;
    times.openRanges =
        std::ranges::count_if(trace.openPhases, [&](TraceTime at) { return range.contains(at); });
    times.hasDevice = trace.hasDevice;
    if (!trace.hasDevice) return times;
    times.deviceWall_ns = times.wall_ns;
    times.busy_ns = trace.busy.lengthWithin(range).ns;
    times.compute_ns = trace.computation.lengthWithin(range).ns;
    times.communication_ns = trace.communication.lengthWithin(range).ns;
    times.copies_ns = trace.copies.lengthWithin(range).ns;
    return times;
}

// Adds communication that does not overlap computation, and copies that do not overlap any other work.
void addExposed(const ProcessTrace& trace, std::span<StepPart> parts)
{
    if (!trace.hasDevice) return;
    const IntervalSet communication = trace.communication.without(trace.computation);
    const IntervalSet copies = trace.copies.without(trace.computation).without(trace.communication);
    for (StepPart& part : parts) {
        part.times.exposedCommunication_ns = communication.lengthWithin(part.range).ns;
        part.times.exposedCopies_ns = copies.lengthWithin(part.range).ns;
    }
}

// A process of a report, with its steps.
struct PartsOfProcess {
    std::optional<ProcessTrace> trace;
    std::vector<StepPart> parts;
    size_t cut = 0, excluded = 0, overlapping = 0;
};

PartsOfProcess partsOfProcess(const AnalysisRequest& request, ReportKey key, ProcessId process,
                              const Progress& progress)
{
    PartsOfProcess out;
    TraceReading reading(request, key, process, progress);
    reading.read();
    bool hasOwnMarks = false;
    const auto steps = stepsOf(request, key, process, reading.hasPhases(), hasOwnMarks);
    if (!hasOwnMarks && !reading.hasPhases() && !reading.hasDevice()) return out;
    out.trace = reading.finished(steps);
    const auto window = windowOf(request.scope, request.alignment, key);
    for (const FoundStep& step : steps) {
        if (!isStepInScope(request, key, step)) continue;
        const TimeRange range = window ? step.range.clippedTo(*window) : step.range;
        if (range.isEmpty()) continue;
        if (range != step.range) {
            ++out.cut;
            if (request.scope.clip == Clip::exclude) {
                ++out.excluded;
                continue;
            }
        }
        out.parts.push_back(
            {0, step.naming, step.number, step.from, range, step.mark, timesOf(*out.trace, range)});
    }
    TraceTime latest = kAllTime.begin;
    for (const StepPart& part : out.parts) { // sorted by start
        out.overlapping += part.range.begin < latest ? 1 : 0;
        latest = std::max(latest, part.range.end);
    }
    addExposed(*out.trace, out.parts);
    return out;
}

// Removes duplicate steps. A report may show the same step of a rank in two processes: the program's, and one
// that the profiler created for the GPU, which has copies of the program's marks. The process without GPU
// work is dropped; otherwise the step's time would be counted twice.
void dropRepeatedSteps(const Workspace& workspace, std::vector<PartsOfProcess>& found)
{
    const auto isSameStep = [](const StepPart& a, const StepPart& b) {
        return a.naming == b.naming && a.number == b.number && a.range.overlaps(b.range);
    };
    const auto rankOf = [&](const ProcessTrace& trace) {
        return workspace.identity(trace.report, trace.process).rank.value;
    };
    const auto isSameRank = [&](const ProcessTrace& a, const ProcessTrace& b) {
        return a.report == b.report && rankOf(a) && rankOf(a) == rankOf(b);
    };
    for (size_t i = 0; i < found.size(); ++i) {
        if (!found[i].trace || found[i].trace->hasDevice || !found[i].trace->phaseNames.empty()) continue;
        std::erase_if(found[i].parts, [&](const StepPart& part) {
            for (size_t k = 0; k < found.size(); ++k) {
                if (k == i || !found[k].trace || !isSameRank(*found[i].trace, *found[k].trace)) continue;
                const bool counts = found[k].trace->hasDevice || k < i;
                if (counts && std::ranges::any_of(found[k].parts, [&](const StepPart& other) {
                        return isSameStep(part, other);
                    }))
                    return true;
            }
            return false;
        });
    }
}

} // namespace

void StepTimes::add(const StepTimes& other)
{
    for (size_t i = 0; i < kRlPhases; ++i) {
        if (other.phase_ns[i]) phase_ns[i] = phase_ns[i].value_or(0) + *other.phase_ns[i];
    }
    wall_ns += other.wall_ns;
    outside_ns += other.outside_ns;
    overlap_ns += other.overlap_ns;
    openRanges += other.openRanges;
    hasDevice |= other.hasDevice;
    deviceWall_ns += other.deviceWall_ns;
    busy_ns += other.busy_ns;
    compute_ns += other.compute_ns;
    communication_ns += other.communication_ns;
    copies_ns += other.copies_ns;
    exposedCommunication_ns += other.exposedCommunication_ns;
    exposedCopies_ns += other.exposedCopies_ns;
}

Result<StepParts> stepPartsInScope(const AnalysisRequest& request, const Progress& progress)
{
    Scope processScope = request.scope;
    processScope.steps.clear();
    std::vector<std::pair<ReportKey, ProcessId>> processes;
    for (const ReportKey key : request.workspace.keys()) {
        for (size_t p = 0; p < request.workspace.report(key).processes.size(); ++p) {
            if (isInScope(processScope, request.workspace, key, ProcessId(p)))
                processes.emplace_back(key, ProcessId(p));
        }
    }
    std::vector<PartsOfProcess> found(processes.size());
    progress.workers().run(processes.size(), [&](size_t i, size_t) {
        if (!progress.isCanceled())
            found[i] = partsOfProcess(request, processes[i].first, processes[i].second, progress);
    });
    LOCKSTEP_TRY(progress.check());
    dropRepeatedSteps(request.workspace, found);
    StepParts out;
    for (PartsOfProcess& part : found) {
        if (!part.trace) continue;
        for (StepPart& step : part.parts) {
            step.trace = out.traces.size();
            out.parts.push_back(std::move(step));
        }
        out.traces.push_back(std::move(*part.trace));
        out.cut += part.cut;
        out.overlapping += part.overlapping;
        out.excluded += part.excluded;
    }
    return out;
}

GroupKey stepGroupOf(const AnalysisRequest& request, const ProcessTrace& trace, const StepPart& part)
{
    if (request.scope.by == GroupBy::step) return {part.naming == StepNaming::unknown, part.number, {}};
    return groupKeyOf(request.scope.by, request.workspace, trace.report, trace.process);
}

std::string stepMemberOf(const AnalysisRequest& request, ReportKey report, ProcessId process)
{
    const Identity& identity = request.workspace.identity(report, process);
    if (identity.rank.isKnown())
        return (identity.role.isKnown() ? *identity.role.value + " " : std::string()) + "rank " +
               std::to_string(*identity.rank.value);
    return groupKeyOf(GroupBy::process, request.workspace, report, process).text;
}

// Returns why no step is in scope, or "" if no more specific reason is known.
static std::string noStepsText(const AnalysisRequest& request, const StepParts& steps)
{
    if (steps.excluded > 0) {
        return noneInScopeText("training steps", steps.excluded) +
               " lies within the time range: clipped steps are left out.";
    }
    const std::string name(request.arguments.text(kStepsArgument.name));
    const bool isFiltered = request.scope.time || !request.scope.steps.empty();
    if (name.empty() || isFiltered || request.workspace.isEmpty()) return {};
    return "No range in scope is named exactly '" + name + "' " + optionText(kStepsArgument) + ".";
}

void describeSteps(const AnalysisRequest& request, const StepParts& steps, TableSource& source)
{
    source.rows = "training steps, by process with ranges of steps or phases, or device work";
    source.whenEmpty = noStepsText(request, steps);
    auto& rules = source.rules;
    rules.push_back(
        "time in several phases belongs to the one that began last, i.e. to the innermost of nested phases");
    rules.push_back("a phase that is never closed ends at the next phase of its process, at "
                    "the end of its step, or at the last closed range of the report");
    rules.push_back("device work counts at the time when it runs, clipped "
                    "to the step, whenever it was launched");
    std::map<RlPhase, std::map<std::string, size_t>> names;
    for (const ProcessTrace& trace : steps.traces) {
        for (const auto& [phase, counts] : trace.phaseNames) {
            for (const auto& [name, count] : counts)
                names[phase][name] += count;
        }
    }
    for (const auto& [phase, counts] : names) {
        std::string text = std::string(rlPhaseName(phase)) + " is";
        for (const auto& [name, count] : counts)
            text += (text.ends_with(" is") ? " '" : ", '") + name + "' (" + std::to_string(count) + ")";
        rules.push_back(text);
    }
    if (names.empty()) rules.push_back("no range name belongs to a phase in the recipe of a framework");
    if (steps.cut > 0) {
        rules.push_back(std::to_string(steps.cut) + " steps are clipped by the time range" +
                        (steps.excluded > 0 ? " and left out" : ": only the part inside counts"));
    }
    if (steps.overlapping > 0) {
        rules.push_back(std::to_string(steps.overlapping) +
                        " steps begin before an earlier step of their process has ended: "
                        "each counts in full, and time in both counts twice");
    }
    if (request.scope.name) rules.push_back("the name filter does not apply: rows are steps");
}

} // namespace lockstep
