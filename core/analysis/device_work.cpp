// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/device_work.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace lockstep {

namespace {

// Returns early if the job is canceled.
void addTrack(const Scope& scope, const Report& report, const Track& track, RowKinds kinds,
              const std::optional<TimeRange>& window, const Progress& progress,
              std::vector<DeviceOperation>& out)
{
    const uint32_t first = track.firstSlice.value;
    for (uint32_t row = first; row < first + track.sliceCount; ++row) {
        const SliceId slice(row);
        if (row % kRowsBetweenChecks == 0 && progress.isCanceled()) return;
        if (!holds(kinds, report.slices.kind[row])) continue;
        const TimeRange range = report.slices.range(slice);
        if (window && range.begin >= window->end) break;
        if (range.isEmpty() || !isInWindow(scope, window, range)) continue;
        out.push_back({range, slice, track.key.context});
    }
}

} // namespace

TimeRange DeviceWork::extent() const
{
    TimeRange extent;
    for (const DeviceOperation& operation : operations)
        extent = extent.unitedWith(operation.range);
    return extent;
}

IntervalSet DeviceWork::busy() const
{
    std::vector<TimeRange> ranges;
    ranges.reserve(operations.size());
    for (const DeviceOperation& operation : operations)
        ranges.push_back(operation.range);
    return IntervalSet::unionOf(std::move(ranges));
}

Result<std::vector<DeviceWork>> deviceWorkInScope(const AnalysisRequest& request, RowKinds kinds,
                                                  const ReportWindow& window, const Progress& progress)
{
    std::vector<DeviceWork> out;
    for (const ReportKey key : request.workspace.keys()) {
        const Report& report = request.workspace.report(key);
        std::map<std::pair<ProcessId, DeviceId>, DeviceWork> found; // invalid IDs come last
        for (const Track& track : report.tracks) {
            LOCKSTEP_TRY(progress.check());
            const bool isOfDevice =
                track.key.kind == TrackKind::gpuStream || track.key.kind == TrackKind::gpuGraph;
            if (!isOfDevice || !isInScope(request.scope, request.workspace, key, track)) continue;
            addTrack(request.scope, report, track, kinds, window(key), progress,
                     found[{track.key.process, track.key.device}].operations);
        }
        LOCKSTEP_TRY(progress.check());
        for (auto& [place, work] : found) {
            if (work.operations.empty()) continue;
            std::tie(work.process, work.device) = place;
            work.report = key;
            work.group = groupKeyOf(request.scope.by, request.workspace, key, place.first);
            std::ranges::sort(work.operations, {}, [](const DeviceOperation& operation) {
                return std::pair(operation.range.begin, operation.slice);
            });
            out.push_back(std::move(work));
        }
    }
    std::ranges::stable_sort(out, {}, &DeviceWork::group);
    return out;
}

std::optional<int64_t> ordinalOf(const Report& report, DeviceId device)
{
    if (!device.isValid()) return std::nullopt;
    return report.devices[device.value].ordinal;
}

} // namespace lockstep
