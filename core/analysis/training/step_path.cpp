// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/step_path.h"

#include <algorithm>

#include "core/analysis/collective_selection.h"

namespace lockstep {

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
    const Scope everything;
    const AnalysisRequest all{request.what, request.arguments, request.scene, everything, request.inputs};
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
    out.pieces = path.pieces.size();
    out.inferred = path.inferred;
    std::vector<SliceRef> slices;
    for (const PathSegment& piece : path.pieces) {
        out.length_ns += piece.length_ns;
        if (!piece.slice.isValid()) continue;
        slices.push_back(piece.slice);
        if (piece.slice != slice) continue;
        out.sliceTime_ns += piece.length_ns;
        out.containsSlice = true;
    }
    out.slices = sliceListOf(std::move(slices));
    return out;
}

} // namespace lockstep
