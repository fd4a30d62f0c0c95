// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nvtx_ranges.h"

#include <algorithm>
#include <queue>
#include <set>

#include "core/lanes/phase_slices.h"

namespace lockstep {

namespace {

bool contains(TimeRange outer, TimeRange inner)
{
    return outer.begin <= inner.begin && inner.end <= outer.end;
}

} // namespace

SliceId launchOf(const Report& report, SliceId work)
{
    for (size_t n = 0; const Link* const link = report.links.to(work, n); ++n) {
        if (link->kind == LinkKind::launch) return link->cause;
    }
    return {};
}

void NvtxRanges::nest()
{
    // Open ranges: the shortest comes first; ties: the latest comes first.
    std::set<std::pair<int64_t, uint32_t>> open;
    std::priority_queue<std::pair<int64_t, uint32_t>, std::vector<std::pair<int64_t, uint32_t>>,
                        std::greater<>>
        ends;
    const auto keyOf = [&](uint32_t i) { return std::pair(ranges[i].range.length().ns, ~i); };
    for (uint32_t i = 0; i < ranges.size(); ++i) {
        NvtxRange& range = ranges[i];
        for (; !ends.empty() && ends.top().first < range.range.begin.ns; ends.pop())
            open.erase(keyOf(ends.top().second));
        // If ranges do not cross, the shortest open one is the parent.
        const auto around = std::ranges::find_if(
            open, [&](const auto& key) { return contains(ranges[~key.second].range, range.range); });
        if (around != open.end()) {
            range.parent = ~around->second;
            NvtxRange& parent = ranges[range.parent];
            range.level = parent.level + 1;
            ++parent.children;
            parent.inChildren_ns += range.range.length().ns;
        }
        open.insert(keyOf(i));
        ends.emplace(range.range.end.ns, i);
    }
}

Result<std::vector<NvtxRanges>> nvtxRangesOf(const AnalysisRequest& request, ReportKey key, RowKinds styles,
                                             const Progress& progress, TrackKind tracks)
{
    const Report& report = request.workspace.report(key);
    const auto window = windowOf(request.scope, request.alignment, key);
    const TraceTime last = lastClosedEnd(report);
    std::map<std::pair<ProcessId, ThreadId>, NvtxRanges> threads;
    for (size_t t = 0; t < report.tracks.size(); ++t) {
        LOCKSTEP_TRY(progress.check());
        const Track& track = report.tracks[t];
        if (track.key.kind != tracks || !isInScope(request.scope, request.workspace, key, track)) continue;
        auto& ranges = threads[{track.key.process, track.key.thread}].ranges;
        for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount; ++row) {
            if (row % kRowsBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
            if (!holds(styles, report.slices.kind[row])) continue;
            TimeRange range = report.slices.range(SliceId(row));
            if ((report.slices.flags[row] & sliceFlag::kOpenEnd) != 0)
                range.end = std::min(range.end, std::max(range.begin, last)); // a range that was clipped ends
                                                                              // earlier
            if (!isInWindow(request.scope, window, range)) continue;
            ranges.push_back({SliceId(row), TrackId(t), range});
        }
    }
    std::vector<NvtxRanges> out;
    for (auto& [threadKey, thread] : threads) {
        if (thread.ranges.empty()) continue;
        std::tie(thread.process, thread.thread) = threadKey;
        thread.report = key;
        thread.group = groupKeyOf(request.scope.by, request.workspace, key, threadKey.first);
        std::ranges::sort(thread.ranges, {}, [&](const NvtxRange& range) {
            return std::tuple(range.range.begin, -range.range.end.ns, report.slices.source[range.slice.value],
                              range.slice);
        });
        thread.nest();
        out.push_back(std::move(thread));
    }
    return out;
}

Result<std::vector<NvtxRanges>> nvtxRangesInScope(const AnalysisRequest& request, RowKinds styles,
                                                  const Progress& progress, TrackKind tracks)
{
    std::vector<NvtxRanges> out;
    for (const ReportKey key : request.workspace.keys()) {
        for (NvtxRanges& thread : LOCKSTEP_TRY(nvtxRangesOf(request, key, styles, progress, tracks)))
            out.push_back(std::move(thread));
    }
    std::ranges::stable_sort(out, {}, &NvtxRanges::group);
    return out;
}

Result<WorkByThread> launchedWork(const AnalysisRequest& request, ReportKey key, RowKinds kinds,
                                  const Progress& progress)
{
    WorkByThread out;
    const Report& report = request.workspace.report(key);
    for (const Track& track : report.tracks) {
        LOCKSTEP_TRY(progress.check());
        if (track.key.kind != TrackKind::gpuStream ||
            !isInScope(request.scope, request.workspace, key, track))
            continue;
        for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount; ++row) {
            if (row % kRowsBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
            if (!holds(kinds, report.slices.kind[row])) continue;
            const SliceId call = launchOf(report, SliceId(row));
            const TrackKey& of = call.isValid() ? report.track(report.trackOf(call)).key : track.key;
            out[{of.process, of.thread}].push_back({call, SliceId(row)});
        }
    }
    for (auto& [threadKey, works] : out) {
        std::ranges::sort(works, {}, [&](const LaunchedWork& launched) {
            const SliceId by = launched.call.isValid() ? launched.call : launched.work;
            return std::tuple(report.slices.start(by), launched.call, launched.work);
        });
    }
    return out;
}

Result<bool> RangesAround::next(const Progress& progress)
{
    m_visitedRanges += m_open.size() + 1;
    if (m_visitedRanges >= kRowsBetweenChecks || m_taken == m_works.size()) {
        LOCKSTEP_TRY(progress.check());
        m_visitedRanges = 0;
    }
    if (m_taken == m_works.size()) return false;
    const LaunchedWork& launched = m_works[m_taken++];
    m_around.clear();
    if (!launched.call.isValid()) return true;
    const TimeRange call = m_report.slices.range(launched.call);
    while (m_nextRange < m_ranges.size() && m_ranges[m_nextRange].range.begin <= call.begin)
        m_open.push_back(m_nextRange++);
    std::erase_if(m_open, [&](uint32_t open) { return m_ranges[open].range.end < call.begin; });
    for (const uint32_t open : m_open) {
        if (contains(m_ranges[open].range, call)) m_around.push_back(open);
    }
    return true;
}

std::string nvtxDomain(const Report& report, const Track& track)
{
    if (track.key.lane == 0) return "";
    const std::string_view name = report.strings.at(track.name);
    return name.empty() ? "Domain " + std::to_string(track.key.lane) : std::string(name);
}

std::string nvtxLabel(const Report& report, TrackId track, SliceId range)
{
    return nvtxDomain(report, report.track(track)) + ":" + std::string(report.nameOf(range));
}

std::string_view nvtxStyle(const Report& report, SliceId range)
{
    return report.slices.kind[range.value] == RowKind::nvtxStartEnd ? "StartEnd" : "PushPop";
}

} // namespace lockstep
