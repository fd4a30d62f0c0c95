// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_rules/profiler_flushes.h"

#include "core/base/text.h"

namespace lockstep {

std::vector<TimeRange> profilerFlushes(const AnalysisRequest& request, const DeviceWork& work)
{
    const Report& report = request.workspace.report(work.report);
    const TimeRange extent = work.extent();
    std::vector<TimeRange> out;
    for (const Track& track : report.tracks) {
        if (track.key.kind != TrackKind::overhead || track.key.process != work.process) continue;
        for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount; ++row) {
            const TimeRange range = report.slices.range(SliceId(row));
            if (report.slices.kind[row] != RowKind::overhead || !range.overlaps(extent)) continue;
            const std::string name = lowerAscii(report.nameOf(SliceId(row)));
            const bool isFlush =
                name.find("buffer flush") != name.npos || name.starts_with("cuda profiling data flush");
            if (isFlush) out.push_back(range.clippedTo(extent));
        }
    }
    return out;
}

} // namespace lockstep
