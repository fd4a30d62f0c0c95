#include "core/align/collective_peers.h"

#include <algorithm>

#include "core/align/collective_fit.h"

namespace lockstep {

namespace {

// The position among the aligned reports of a report that is shown, and back.
uint32_t fittedOf(const Alignment& alignment, ReportId report)
{
    return alignment.fittedReports.empty() ? report.value : alignment.fittedReports[report.value];
}

ReportId shownOf(const Alignment& alignment, ReportId fitted)
{
    if (alignment.fittedReports.empty()) return fitted;
    const auto at = std::ranges::find(alignment.fittedReports, fitted.value);
    if (at == alignment.fittedReports.end()) return {};
    return ReportId(static_cast<size_t>(at - alignment.fittedReports.begin()));
}

const MatchedCollective* matchOf(const CollectiveMatches& matches, uint32_t fitted, SliceId slice)
{
    for (const MatchedCollective& collective : matches.collectives) {
        const auto parts = std::span(matches.parts).subspan(collective.firstPart, collective.partCount);
        const bool holdsIt = std::ranges::any_of(parts, [&](const MatchedPart& part) {
            return matches.ranks[part.rank].report.value == fitted && matches.at(part).slice == slice;
        });
        if (holdsIt) return &collective;
    }
    return nullptr;
}

} // namespace

CollectivePeers peersOf(const Workspace& workspace, const Alignment& alignment, SliceRef slice)
{
    CollectivePeers out;
    if (!alignment.collectives || !slice.isValid()) return out;
    if (workspace.report(slice.report).slices.category[slice.slice.value] != SliceCategory::communication)
        return out;
    const CollectiveMatches& matches = alignment.collectives->matches;
    const MatchedCollective* const match = matchOf(matches, fittedOf(alignment, slice.report), slice.slice);
    if (match == nullptr) return out;
    TraceTime last = kAllTime.begin;
    for (uint32_t i = 0; i < match->partCount; ++i) {
        const MatchedPart part = matches.parts[match->firstPart + i];
        const ReportId report = shownOf(alignment, matches.ranks[part.rank].report);
        if (!report.isValid()) continue;
        const Collective& own = matches.at(part);
        out.parts.push_back({report, own.slice});
        const TraceTime start = alignment.map(report).alignedFromTrace(own.start);
        if (match->dependency == Dependency::all && start > last) {
            last = start;
            out.cause = out.parts.back();
        }
        const bool isPair = match->dependency == Dependency::send || match->dependency == Dependency::receive;
        if (isPair && i == 0) out.cause = out.parts.back();
    }
    return out;
}

} // namespace lockstep
