// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/critical_path.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "core/analysis/api_calls.h"
#include "core/analysis/collective_selection.h"
#include "core/analysis/duration_statistics.h"
#include "core/analysis/nvtx_ranges.h"
#include "core/analysis/registry.h"
#include "core/analysis/training/kernel_class.h"
#include "core/trace/kernel_name.h"

namespace lockstep {

namespace {

// Returns whether the call returns only after the device has finished.
bool isWaitingCall(std::string_view name)
{
    return isSynchronizationCall(name) || name == "cudaMemcpy" || name.starts_with("cudaMemcpy_v");
}

bool isHostTrack(TrackKind kind)
{
    return kind == TrackKind::ops || kind == TrackKind::cudaApi || kind == TrackKind::nvtx ||
           kind == TrackKind::python || kind == TrackKind::libraryApi || kind == TrackKind::osRuntime;
}

bool isStream(TrackKind kind)
{
    return kind == TrackKind::gpuStream || kind == TrackKind::gpuGraph;
}

// Returns the last slice of a track that began before `time`, or an invalid one.
SliceId lastBegun(const Report& report, const Track& track, TraceTime time)
{
    const auto begin = report.slices.start_ns.begin() + track.firstSlice.value;
    const auto after = std::lower_bound(begin, begin + track.sliceCount, time.ns);
    if (after == begin) return {};
    return SliceId(track.firstSlice.value + static_cast<uint32_t>(after - begin) - 1);
}

// What a thread was doing just before a given time, and since when.
struct HostMoment {
    SliceId innermost; // invalid: none
    TraceTime since;
};

// Searches one track for the slice that is open at `time`, upward from the last one that began.
HostMoment openOn(const Report& report, const Track& track, TraceTime time, TraceTime earliest)
{
    HostMoment out{{}, earliest};
    SliceId at = lastBegun(report, track, time);
    while (at.isValid() && report.slices.end(at) < time) {
        out.since = std::max(out.since, report.slices.end(at));
        at = report.slices.parent[at.value];
    }
    if (!at.isValid()) return out;
    out.innermost = at;
    out.since = std::max(out.since, report.slices.start(at));
    return out;
}

class PathWalker {
  public:
    PathWalker(const AnalysisRequest& request, const LastArrivals& arrivals, TraceTime begin,
               const Progress& progress)
        : m_request(request), m_arrivals(arrivals), m_begin(begin), m_progress(progress)
    {
    }

    CriticalPath run(ReportKey key, ProcessId process, TimeRange range, SliceId mark)
    {
        enter(key, process, range.end);
        m_aligned = m_map->alignedFromTrace(range.end);
        beginAt(mark);
        // Every dependency leads back in time, except for calls and work of zero duration. This constant
        // limits the number of these exceptions, but not the length of the path.
        constexpr int kMaxZeroLengthSteps = 1 << 16;
        for (int still = 0; m_aligned > m_begin && still < kMaxZeroLengthSteps && !m_progress.isCanceled();) {
            const TraceTime was = m_aligned;
            m_work.isValid() ? leaveWork() : leaveHost();
            still = m_aligned < was ? 0 : still + 1;
        }
        if (m_aligned > m_begin) add(PathKind::unrecorded, "not followed further", {}, m_begin);
        return std::move(m_path);
    }

  private:
    void enter(ReportKey key, ProcessId process, TraceTime at)
    {
        m_key = key;
        m_process = process;
        m_report = &m_request.workspace.report(key);
        m_map = &m_request.alignment.map(key);
        m_at = at;
    }

    // Starts at the end of the step, on the thread that marks it, otherwise at the slice that ended last.
    void beginAt(SliceId mark)
    {
        if (mark.isValid()) {
            m_thread = m_report->track(m_report->trackOf(mark)).key.thread;
            return;
        }
        TraceTime latest = kAllTime.begin;
        for (const Track& track : m_report->tracks) {
            const bool isRelevant =
                track.key.process == m_process && (isStream(track.key.kind) || isHostTrack(track.key.kind));
            SliceId last = isRelevant ? lastBegun(*m_report, track, m_at) : SliceId();
            while (last.isValid() && m_report->slices.parent[last.value].isValid())
                last = m_report->slices.parent[last.value];
            if (!last.isValid() || m_report->slices.end(last) <= latest) continue;
            latest = m_report->slices.end(last);
            m_thread = track.key.thread;
            m_work = isStream(track.key.kind) ? last : SliceId();
        }
        if (m_work.isValid() && latest < m_at)
            toTime(PathKind::unrecorded, "after the last work", {}, latest);
    }

    // Adds a segment from the current time back to `until` on the aligned axis.
    void add(PathKind kind, std::string name, SliceId slice, TraceTime until)
    {
        const TraceTime end = std::max(std::min(until, m_aligned), m_begin);
        if (end < m_aligned)
            m_path.segments.push_back(
                {kind, std::move(name), {m_key, slice}, m_process, (m_aligned - end).ns});
        m_aligned = end;
    }

    // Same as add(), for a time on the report's clock.
    void toTime(PathKind kind, std::string name, SliceId slice, TraceTime until)
    {
        m_at = std::min(m_at, until);
        add(kind, std::move(name), slice, m_map->alignedFromTrace(m_at));
    }

    std::string nameOf(SliceId slice) const { return std::string(m_report->nameOf(slice)); }

    // Returns the work in this process that ended last within (after, until]. This is assumed to be the work
    // for which a call waited.
    SliceId lastWorkEnded(TraceTime after, TraceTime until, TrackId but) const
    {
        SliceId best;
        for (size_t t = 0; t < m_report->tracks.size(); ++t) {
            const Track& track = m_report->tracks[t];
            if (track.key.process != m_process || !isStream(track.key.kind) || TrackId(t) == but) continue;
            SliceId last = lastBegun(*m_report, track, until);
            // The call did not wait for work that is still running at that time, but it may have waited for
            // earlier work.
            while (last.isValid() && m_report->slices.end(last) > until)
                last = last == track.firstSlice ? SliceId() : SliceId(last.value - 1);
            if (!last.isValid() || m_report->slices.end(last) <= after) continue;
            if (!best.isValid() || m_report->slices.end(last) > m_report->slices.end(best)) best = last;
        }
        return best;
    }

    void leaveHost()
    {
        HostMoment now{{}, kAllTime.begin};
        const TraceTime earliest = m_map->traceFromAligned(m_begin) - Duration{1};
        for (const Track& track : m_report->tracks) {
            if (track.key.process != m_process || track.key.thread != m_thread ||
                !isHostTrack(track.key.kind))
                continue;
            const HostMoment here = openOn(*m_report, track, m_at, earliest);
            now.since = std::max(now.since, here.since);
            const bool isInner = here.innermost.isValid() &&
                                 (!now.innermost.isValid() || m_report->slices.start(now.innermost) <=
                                                                  m_report->slices.start(here.innermost));
            if (isInner) now.innermost = here.innermost;
        }
        now.since = std::max(now.since, earliest);
        if (!now.innermost.isValid()) return toTime(PathKind::unrecorded, "nothing recorded", {}, now.since);
        const SliceId slice = now.innermost;
        const bool isCall = m_report->slices.category[slice.value] == SliceCategory::cudaApi ||
                            isCudaApi(m_report->slices.kind[slice.value]);
        if (!isCall || !isWaitingCall(m_report->nameOf(slice)))
            return toTime(isCall ? PathKind::cudaApi : PathKind::host, nameOf(slice), slice, now.since);
        const SliceId work = lastWorkEnded(m_report->slices.start(slice), m_at, {});
        if (!work.isValid())
            return toTime(PathKind::sync, nameOf(slice), slice, m_report->slices.start(slice));
        toTime(PathKind::sync, nameOf(slice), slice, m_report->slices.end(work));
        m_work = work;
        ++m_path.inferred;
    }

    void leaveWork()
    {
        const SliceId work = m_work;
        const KernelClass of = kernelClassOf(*m_report, work);
        const PathKind kind = of == KernelClass::communication ? PathKind::communication
                              : of == KernelClass::memory      ? PathKind::copy
                                                               : PathKind::compute;
        const std::string name(kernelBaseName(m_report->shortNameOf(work)));
        if (const auto last = m_arrivals.find({m_key, work}); last != m_arrivals.end()) {
            const SliceRef other = last->second;
            const Report& report = m_request.workspace.report(other.report);
            const TraceTime arrived =
                m_request.alignment.map(other.report).alignedFromTrace(report.slices.start(other.slice));
            if (m_map->alignedFromTrace(m_report->slices.start(work)) < arrived && arrived < m_aligned) {
                add(kind, name, work, arrived);
                enter(other.report, report.track(report.trackOf(other.slice)).key.process,
                      report.slices.start(other.slice));
                ++m_path.inferred;
                return beforeWork(other.slice);
            }
        }
        toTime(kind, name, work, m_report->slices.start(work));
        beforeWork(work);
    }

    // At the start of GPU work, continues with whatever delayed that work.
    void beforeWork(SliceId work)
    {
        const TrackId stream = m_report->trackOf(work);
        const SliceId call = launchOf(*m_report, work);
        const SliceId earlier =
            work == m_report->track(stream).firstSlice ? SliceId() : SliceId(work.value - 1);
        const TraceTime called = call.isValid() ? m_report->slices.end(call) : kAllTime.begin;
        const TraceTime freed = earlier.isValid() ? m_report->slices.end(earlier) : kAllTime.begin;
        const SliceId other = lastWorkEnded(std::max(called, freed), m_at, stream);
        if (other.isValid()) {
            toTime(PathKind::gap, "before " + std::string(kernelBaseName(m_report->shortNameOf(work))), work,
                   m_report->slices.end(other));
            m_work = other;
            ++m_path.inferred;
        } else if (earlier.isValid() && freed >= called) {
            toTime(PathKind::gap, "before " + std::string(kernelBaseName(m_report->shortNameOf(work))), work,
                   freed);
            m_work = earlier;
            ++m_path.recorded;
        } else if (call.isValid()) {
            toTime(PathKind::launch, nameOf(call), call, m_report->slices.start(call));
            m_thread = m_report->track(m_report->trackOf(call)).key.thread;
            m_work = {};
            ++m_path.recorded;
        } else {
            add(PathKind::unrecorded, "no recorded call or earlier work", {}, m_begin);
        }
    }

    const AnalysisRequest& m_request;
    const LastArrivals& m_arrivals;
    const TraceTime m_begin; // aligned
    const Progress& m_progress;
    CriticalPath m_path;
    ReportKey m_key;
    ProcessId m_process;
    const Report* m_report = nullptr;
    const ClockMap* m_map = nullptr;
    TraceTime m_at;      // current time, on the clock of the current report
    TraceTime m_aligned; // the same time on the axis
    ThreadId m_thread;
    SliceId m_work; // if valid, the walk is in this device work; otherwise it is on the thread
};

} // namespace

std::string_view pathKindName(PathKind kind)
{
    constexpr std::array<std::string_view, static_cast<size_t>(PathKind::count)> kPathKinds{
        "compute", "communication", "copy", "launch", "gap", "sync", "cuda_api", "host", "unrecorded"};
    return kPathKinds[static_cast<size_t>(kind)];
}

std::string_view pathKindDoc(PathKind kind)
{
    constexpr std::array<std::string_view, static_cast<size_t>(PathKind::count)> kPathDocs{
        "a kernel or a whole graph",
        "a communication kernel, from the last rank's arrival if that is known",
        "a copy or memset",
        "from the start of a call to the start of the work that it "
        "launched, if nothing else delayed the work",
        "from the end of earlier work to the start of work that had already been launched",
        "a call that waits for the device, from the time at which the device has finished",
        "another CUDA call",
        "the innermost operator, range or library call of the thread",
        "the thread has no recorded activity"};
    return kPathDocs[static_cast<size_t>(kind)];
}

CriticalPath findCriticalPath(const AnalysisRequest& request, ReportKey report, ProcessId process,
                              TimeRange range, SliceId mark, const LastArrivals& arrivals,
                              const Progress& progress)
{
    const TraceTime begin = request.alignment.map(report).alignedFromTrace(range.begin);
    return PathWalker(request, arrivals, begin, progress).run(report, process, range, mark);
}

std::vector<std::pair<PathKey, const StepPart*>> pathStarts(const AnalysisRequest& request,
                                                            const StepParts& steps)
{
    std::map<PathKey, const StepPart*> out;
    const auto rank = [&](const StepPart& part) {
        const ProcessTrace& trace = steps.traceOf(part);
        return std::pair(trace.hasDevice,
                         request.alignment.map(trace.report).alignedFromTrace(part.range.end));
    };
    for (const StepPart& part : steps.parts) {
        const StepPart*& last =
            out[{stepGroupOf(request, steps.traceOf(part), part), part.naming, part.number}];
        if (last == nullptr || rank(*last) < rank(part)) last = &part;
    }
    return {out.begin(), out.end()};
}

LastArrivals lastArrivals(const AnalysisRequest& request, const Progress& progress)
{
    LastArrivals out;
    if (request.workspace.size() < 2) return out;
    const Scope allScope;
    const AnalysisRequest all{request.what, request.arguments, request.scene, allScope, request.inputs};
    const CollectiveSelection selection(all, progress);
    for (const CollectiveTiming& timing :
         timeCollectives(request.workspace, request.alignment, selection.matches(), progress.workers())) {
        if (!timing.skew_ns || timing.isDisputed) continue;
        const auto parts = selection.partsOf(timing.collective);
        const auto last = std::ranges::find(parts, timing.lastRank, &MatchedPart::rank);
        const auto refOf = [&](MatchedPart part) {
            return SliceRef{selection.matches().ranks[part.rank].report, selection.at(part).slice};
        };
        for (const MatchedPart& part : parts) {
            if (part.rank != timing.lastRank) out[refOf(part)] = refOf(*last);
        }
    }
    return out;
}

namespace {

constexpr std::string_view kPathAnalysis = "critical_path";

TraceTime launchTime(const Report& report, SliceId slice)
{
    for (size_t n = 0; const Link* const link = report.links.to(slice, n); ++n) {
        if (link->kind == LinkKind::launch) return report.slices.start(link->cause);
    }
    return report.slices.start(slice);
}

// Returns the part of the slice's process that contains the launch time; if several parts contain it, returns
// the shortest.
const StepPart* partOf(const Scene& scene, const StepParts& steps, SliceRef slice)
{
    const Report& report = scene.shown.report(slice.report);
    const ProcessId process = report.track(report.trackOf(slice.slice)).key.process;
    const TraceTime at = launchTime(report, slice.slice);
    const StepPart* out = nullptr;
    for (const StepPart& part : steps.parts) {
        const ProcessTrace& trace = steps.traceOf(part);
        if (trace.report != slice.report || trace.process != process || !part.range.contains(at)) continue;
        if (out == nullptr || part.range.length() < out->range.length()) out = &part;
    }
    return out;
}

std::string stepNameOf(const StepPart& part)
{
    return part.naming == StepNaming::unknown ? "the whole report" : "step " + std::to_string(part.number);
}

} // namespace

Result<StepPath> stepPathThrough(const Scene& scene, SliceRef slice, const Progress& progress)
{
    const ResolvedAnalysis resolved = LOCKSTEP_TRY(resolveAnalysis(kPathAnalysis));
    Scope scope;
    const AnalysisRequest request{kPathAnalysis, resolved.arguments, scene, scope, {}};
    const StepParts steps = LOCKSTEP_TRY(stepPartsInScope(request, progress));
    const StepPart* const own = partOf(scene, steps, slice);
    if (own == nullptr)
        return makeError(
            ErrorKind::invalid,
            steps.parts.empty()
                ? "no report marks a training step (ProfilerStep#N, step N, or a range named step)"
                : "the slice was launched outside all training steps of its process");
    const PathKey key{stepGroupOf(request, steps.traceOf(*own), *own), own->naming, own->number};
    const auto starts = pathStarts(request, steps);
    const auto start = std::ranges::find(starts, key, &std::pair<PathKey, const StepPart*>::first);
    const StepPart& last = *start->second;
    const LastArrivals arrivals = lastArrivals(request, progress);
    LOCKSTEP_TRY(progress.check());
    const ProcessTrace& trace = steps.traceOf(last);
    const CriticalPath path =
        findCriticalPath(request, trace.report, trace.process, last.range, last.mark, arrivals, progress);
    LOCKSTEP_TRY(progress.check());
    StepPath out;
    out.step = stepNameOf(last);
    out.segments = path.segments.size();
    out.inferred = path.inferred;
    std::vector<SliceRef> slices;
    for (const PathSegment& segment : path.segments) {
        out.length_ns += segment.length_ns;
        if (!segment.slice.isValid()) continue;
        slices.push_back(segment.slice);
        if (segment.slice != slice) continue;
        out.sliceTime_ns += segment.length_ns;
        out.containsSlice = true;
    }
    out.slices = sliceListOf(std::move(slices));
    return out;
}

namespace {

constexpr std::array kPathArguments{kStepsArgument};

void addPathRows(const AnalysisRequest& request, const PathKey& key, const StepPart& part,
                 const CriticalPath& path, std::vector<PathRow>& out)
{
    int64_t wall_ns = 0;
    std::map<std::tuple<std::string, PathKind, std::string>, PathRow> rows;
    for (const PathSegment& segment : path.segments) {
        wall_ns += segment.length_ns;
        const std::string member = stepMemberOf(request, segment.slice.report, segment.process);
        PathRow& row = rows[{member, segment.kind, segment.name}];
        row.time_ns += segment.length_ns;
        ++row.count;
        if (segment.length_ns <= row.longest_ns) continue;
        row.longest_ns = segment.length_ns;
        row.longest = segment.slice.isValid() ? segment.slice : SliceRef();
    }
    const auto first = static_cast<std::ptrdiff_t>(out.size());
    for (auto& [own, row] : rows) {
        std::tie(row.member, row.kind, row.name) = own;
        row.group = key.group;
        if (key.naming != StepNaming::unknown) row.step = key.number;
        row.wall_ns = wall_ns;
        row.from = part.from;
        out.push_back(std::move(row));
    }
    std::ranges::stable_sort(out.begin() + first, out.end(), std::ranges::greater{}, &PathRow::time_ns);
}

TableColumns<PathRow> pathColumns(const AnalysisRequest& request)
{
    const GroupBy by = request.scope.by;
    TableColumns<PathRow> columns(HeaderStyle::identifier);
    columns.group(by);
    if (by != GroupBy::step)
        columns.count(&PathRow::step, "step", "step number, by the rule in step_from; empty if unknown");
    columns
        .text(&PathRow::member, "member",
              "role and rank of this segment of the path, or the process if ranks are unknown")
        .text(&PathRow::kindName, "kind",
              "compute, communication, copy, launch, gap, sync, cuda_api, host or unrecorded: see rules")
        .text(&PathRow::name, "name", "name of the kernel, call, operator or range")
        .time(&PathRow::time_ns, "time", "time on the path; all rows of a step add up to wall")
        .add([](const PathRow& row) { return roundedQuotient(__int128(row.time_ns) * 10'000, row.wall_ns); },
             {"time_pctg", "", ColumnType::percent, 2, "time as a share of wall"})
        .count(&PathRow::count, "count", "number of segments of the path")
        .time(&PathRow::wall_ns, "wall", "duration of the step on the rank where the path ends")
        .text(&PathRow::from, "step_from", "rule that defines the step");
    return columns;
}

TableSource pathSource(const AnalysisRequest& request, const StepParts& steps, int64_t recorded,
                       int64_t inferred)
{
    TableSource source;
    describeSteps(request, steps, source);
    auto& rules = source.rules;
    rules.push_back("the path is followed from the end of a step back to its start: from a waiting "
                    "call to the work that ended last during it, from work to what delayed it, "
                    "from a collective to the last rank to arrive; it starts on the thread that "
                    "marks the step, on the rank whose device work ended last");
    rules.push_back(std::to_string(recorded) +
                    " dependencies are recorded: a call launched the work, or "
                    "the work followed other work on its stream; " +
                    std::to_string(inferred) +
                    " are inferred from times: the work that a call waited for, work on another "
                    "stream that ended after the launch, the last rank of a collective");
    rules.push_back("waits of one thread for another are not followed: a backward pass on "
                    "autograd's thread counts as the range that waits for it");
    for (size_t i = 0; i < static_cast<size_t>(PathKind::count); ++i) {
        const auto kind = static_cast<PathKind>(i);
        rules.push_back(std::string(pathKindName(kind)) + ": " + std::string(pathKindDoc(kind)));
    }
    return source;
}

} // namespace

Result<AnalysisRows<PathRow>> criticalPath(const AnalysisRequest& request, const Progress& progress)
{
    const StepParts steps = LOCKSTEP_TRY(stepPartsInScope(request, progress));
    const LastArrivals arrivals = lastArrivals(request, progress);
    LOCKSTEP_TRY(progress.check());
    const std::vector<std::pair<PathKey, const StepPart*>> starts = pathStarts(request, steps);
    std::vector<CriticalPath> paths(starts.size());
    progress.workers().run(starts.size(), [&](size_t i, size_t) {
        const StepPart& part = *starts[i].second;
        const ProcessTrace& trace = steps.traceOf(part);
        paths[i] =
            findCriticalPath(request, trace.report, trace.process, part.range, part.mark, arrivals, progress);
    });
    LOCKSTEP_TRY(progress.check());
    AnalysisRows<PathRow> made;
    int64_t recorded = 0, inferred = 0;
    for (size_t i = 0; i < starts.size(); ++i) {
        addPathRows(request, starts[i].first, *starts[i].second, paths[i], made.rows);
        recorded += paths[i].recorded;
        inferred += paths[i].inferred;
    }
    made.source = pathSource(request, steps, recorded, inferred);
    return made;
}

Analysis criticalPathAnalysis()
{
    return withCharts({"critical_path", "Critical path of training steps", "training steps", kPathArguments,
                       makeTable<criticalPath, pathColumns>},
                      {{ChartKind::bars, {"name"}, {"time"}}});
}

} // namespace lockstep
