// SPDX-License-Identifier: Apache-2.0
#include "core/scene/host_time.h"

namespace lockstep {

namespace {

bool isOfHost(const Scene& scene, ReportKey key, std::string_view host)
{
    return scene.shown.identity(key).host.value.value_or("") == host;
}

} // namespace

std::optional<TraceTime> alignedFromHostTime(const Scene& scene, std::string_view host, int64_t unix_ns)
{
    std::optional<TraceTime> other;
    for (const ReportKey key : scene.shown.keys()) {
        const auto utcAtZero_ns = scene.shown.report(key).clock.utcAtZero_ns;
        if (!utcAtZero_ns) continue;
        const bool isSame = isOfHost(scene, key, host);
        if (!isSame && other) continue;
        const TraceTime aligned =
            scene.alignment.map(key).alignedFromTrace(TraceTime{unix_ns - *utcAtZero_ns});
        if (isSame) return aligned;
        other = aligned;
    }
    return other;
}

std::optional<int64_t> hostTimeFromAligned(const Scene& scene, ReportKey report, TraceTime aligned)
{
    if (!scene.shown.has(report)) return std::nullopt;
    const auto utcAtZero_ns = scene.shown.report(report).clock.utcAtZero_ns;
    if (!utcAtZero_ns) return std::nullopt;
    return scene.alignment.map(report).traceFromAligned(aligned).ns + *utcAtZero_ns;
}

SliceRef lastSliceOf(const Scene& scene, std::string_view host, int64_t rank)
{
    SliceRef last;
    std::optional<TraceTime> lastTime;
    bool isLastOfHost = false;
    for (const ReportKey key : scene.shown.keys()) {
        if (scene.shown.identity(key).rank.value != rank) continue;
        const bool isSame = isOfHost(scene, key, host);
        const Report& report = scene.shown.report(key);
        for (const Track& track : report.tracks) {
            for (uint32_t i = track.sliceCount; i > 0; --i) {
                const uint32_t slice = track.firstSlice.value + i - 1;
                if (report.slices.kind[slice] == RowKind::overhead) continue;
                const TraceTime begin =
                    scene.alignment.map(key).alignedFromTrace(TraceTime{report.slices.start_ns[slice]});
                const bool isBetter = !lastTime || (isSame && !isLastOfHost) ||
                                      (isSame == isLastOfHost && begin.ns > lastTime->ns);
                if (isBetter) {
                    last = {key, SliceId{slice}};
                    lastTime = begin;
                    isLastOfHost = isSame;
                }
                break;
            }
        }
    }
    return last;
}

} // namespace lockstep
