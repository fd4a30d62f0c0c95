// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/path_walk.h"

#include <algorithm>
#include <array>

#include "core/analysis/blocking_calls.h"
#include "core/analysis/nvtx_ranges.h"
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
        constexpr int kMaxStandingStill = 1 << 16;
        for (int still = 0; m_aligned > m_begin && still < kMaxStandingStill && !m_progress.isCanceled();) {
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
            m_path.pieces.push_back({kind, std::move(name), {m_key, slice}, m_process, (m_aligned - end).ns});
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

} // namespace lockstep
