// SPDX-License-Identifier: Apache-2.0
#include "core/align/collective_peers.h"

#include <algorithm>

#include "core/align/collective_fit.h"

namespace lockstep {

namespace {

const MatchedCollective* matchOf(const CollectiveMatches& matches, SliceRef slice)
{
    for (const MatchedCollective& collective : matches.collectives) {
        const auto parts = std::span(matches.parts).subspan(collective.firstPart, collective.partCount);
        const bool isMember = std::ranges::any_of(parts, [&](const MatchedPart& part) {
            return matches.ranks[part.rank].report == slice.report && matches.at(part).slice == slice.slice;
        });
        if (isMember) return &collective;
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
    const MatchedCollective* const match = matchOf(matches, slice);
    if (match == nullptr) return out;
    TraceTime last = kAllTime.begin;
    for (uint32_t i = 0; i < match->partCount; ++i) {
        const MatchedPart part = matches.parts[match->firstPart + i];
        const ReportKey report = matches.ranks[part.rank].report;
        if (!workspace.has(report)) continue;
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
