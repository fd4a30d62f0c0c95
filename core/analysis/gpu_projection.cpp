// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/gpu_projection.h"

#include <algorithm>

#include "core/analysis/device_work.h"

namespace lockstep {

namespace {

Result<GpuProjection> projectThread(const NvtxRanges& thread, const Report& report,
                                    std::span<const LaunchedWork> works, const Progress& progress)
{
    std::vector<ProjectedRange> all(thread.ranges.size());
    std::vector<SliceId> lastCall(thread.ranges.size());
    RangesAround each(thread, report, works);
    while (LOCKSTEP_TRY(each.next(progress))) {
        const LaunchedWork& launched = each.work();
        const TimeRange work = report.slices.range(launched.work);
        for (const uint32_t i : each.around()) {
            ProjectedRange& projected = all[i];
            if (projected.operations == 0 || work.begin < projected.projected.begin)
                projected.first = launched.work;
            projected.projected = projected.operations == 0
                                      ? work
                                      : TimeRange{std::min(projected.projected.begin, work.begin),
                                                  std::max(projected.projected.end, work.end)};
            // A single call may launch several operations.
            if (projected.operations == 0 || lastCall[i] != launched.call) ++projected.operations;
            lastCall[i] = launched.call;
        }
    }
    NvtxRanges kept{thread.group, thread.report, thread.process, thread.thread, {}};
    GpuProjection out{thread.group, thread.report, thread.process, thread.thread, {}};
    for (size_t i = 0; i < all.size(); ++i) {
        if (all[i].operations == 0) continue;
        const NvtxRange& range = thread.ranges[i];
        kept.ranges.push_back({range.slice, range.track, range.range});
        out.ranges.push_back(all[i]);
    }
    kept.nest();
    for (size_t i = 0; i < kept.ranges.size(); ++i)
        out.ranges[i].range = kept.ranges[i];
    return out;
}

} // namespace

Result<std::vector<GpuProjection>> projectRanges(const AnalysisRequest& request, const Progress& progress)
{
    const RowKinds kinds = rowKinds({RowKind::kernel, RowKind::memcpy, RowKind::memset});
    std::vector<GpuProjection> out;
    for (const ReportKey key : request.workspace.keys()) {
        const auto threads = LOCKSTEP_TRY(nvtxRangesOf(request, key, kNvtxStyles, progress));
        if (threads.empty()) continue;
        const WorkByThread works = LOCKSTEP_TRY(launchedWork(request, key, kinds, progress));
        for (const NvtxRanges& thread : threads) {
            LOCKSTEP_TRY(progress.check());
            const auto found = works.find({thread.process, thread.thread});
            if (found == works.end()) continue;
            GpuProjection projection =
                LOCKSTEP_TRY(projectThread(thread, request.workspace.report(key), found->second, progress));
            if (!projection.ranges.empty()) out.push_back(std::move(projection));
        }
    }
    std::ranges::stable_sort(out, {}, &GpuProjection::group);
    return out;
}

} // namespace lockstep
