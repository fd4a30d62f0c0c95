// SPDX-License-Identifier: Apache-2.0
#include "core/scene/next_slice.h"

#include <algorithm>

namespace lockstep {

namespace {

std::string_view sessionOf(const Report& report)
{
    const auto fact = std::ranges::find(report.facts, "Session", &Fact::first);
    return fact != report.facts.end() ? std::string_view(fact->second) : std::string_view();
}

bool isSameRecording(const Report& report, const Report& other)
{
    if (other.provenance.kind != report.provenance.kind) return false;
    if (other.chunk) return other.provenance.path == report.provenance.path;
    return !sessionOf(report).empty() && sessionOf(other) == sessionOf(report) &&
           other.identity.captureIndex.value == report.identity.captureIndex.value;
}

} // namespace

SliceRef sliceInNext(const Scene& last, const Scene& next, SliceRef slice)
{
    if (!last.holds(slice)) return next.holds(slice) ? slice : SliceRef();
    const Report& before = last.shown.report(slice.report);
    if (next.shown.has(slice.report) && &next.shown.report(slice.report) == &before) return slice;
    if (!before.chunk) return next.holds(slice) ? slice : SliceRef();
    const SourceRow source = before.slices.source[slice.slice.value];
    const TraceTime start = before.slices.start(slice.slice);
    for (const ReportKey key : next.shown.keys()) {
        const Report& report = next.shown.report(key);
        const bool isOld = last.shown.has(key) && &last.shown.report(key) == &report;
        if (isOld || !isSameRecording(before, report)) continue;
        const auto& sources = report.slices.source;
        for (auto at = std::ranges::find(sources, source); at != sources.end();
             at = std::find(std::next(at), sources.end(), source)) {
            const SliceId found(static_cast<uint32_t>(at - sources.begin()));
            if (report.slices.start(found) == start && report.nameOf(found) == before.nameOf(slice.slice))
                return {key, found};
        }
    }
    return {};
}

} // namespace lockstep
