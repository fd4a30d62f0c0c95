// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/last_arrival.h"

#include <algorithm>

#include "core/search/related_slices.h"
#include "core/timeline/measure.h"

namespace lockstep {

namespace {

struct ArrivedPart {
    SliceRef slice;
    TraceTime start; // aligned
    Duration length;
};

std::vector<ArrivedPart> partsByStart(const Scene& scene, const CollectivePeers& peers)
{
    std::vector<ArrivedPart> parts;
    for (const SliceRef& part : peers.parts) {
        const SliceTable& slices = scene.shown.report(part.report).slices;
        const TraceTime start = scene.alignment.map(part.report).alignedFromTrace(slices.start(part.slice));
        parts.push_back({part, start, slices.duration(part.slice)});
    }
    std::ranges::stable_sort(parts, {}, &ArrivedPart::start);
    return parts;
}

// Returns "rank 9 · node1", or the file name if the rank is unknown.
std::string rankLabel(const Scene& scene, SliceRef part)
{
    const Report& report = scene.shown.report(part.report);
    const Identity& identity =
        scene.shown.identity(part.report, report.track(report.trackOf(part.slice)).key.process);
    std::string label = identity.rank.isKnown() ? "rank " + std::to_string(*identity.rank.value)
                                                : report.provenance.path.filename().string();
    if (identity.host.isKnown()) label += " \u00B7 " + *identity.host.value;
    return label;
}

Measure between(const Scene& scene, const ArrivedPart& earlier, const ArrivedPart& later)
{
    return measureBetween(scene.alignment, earlier.slice.report, later.slice.report,
                          later.start - earlier.start);
}

// Returns the recorded number of ranks in the collective; 0 if not recorded.
uint32_t recordedRankCount(const Scene& scene, SliceRef of)
{
    const Report& report = scene.shown.report(of.report);
    const auto op = std::ranges::lower_bound(report.collectives, of.slice, {}, &CollectiveOp::slice);
    const bool isRecorded = op != report.collectives.end() && op->slice == of.slice;
    return isRecorded && op->groupSize != CollectiveOp::kAbsent ? op->groupSize : 0;
}

} // namespace

LastArrival lastArrivalOf(const Scene& scene, SliceRef of)
{
    LastArrival out;
    const CollectivePeers peers = collectiveParts(scene, of);
    const std::vector<ArrivedPart> parts = partsByStart(scene, peers);
    if (parts.size() < 2) {
        out.text = "No matching collective on other ranks.";
        return out;
    }
    // If no rank leaves before all have arrived, the rank with the shortest duration arrived last, regardless
    // of the clocks.
    const bool waitsForAll = peers.cause.isValid();
    const auto shortest = std::ranges::min_element(parts, {}, &ArrivedPart::length);
    auto last = std::prev(parts.end());
    const auto isUndecided = [&](const ArrivedPart& part) {
        return part.slice != last->slice && !between(scene, part, *last).isDecided();
    };
    const auto candidates = std::ranges::count_if(parts, isUndecided);
    const bool isByLength = waitsForAll && candidates > 0 && isUndecided(*shortest);
    if (isByLength) last = shortest;
    out.slice = last->slice;
    out.isItself = last->slice == of;
    const ArrivedPart& first = parts.front();
    const Measure late = between(scene, first, *last);
    out.text = rankLabel(scene, last->slice) + " arrived last of " + std::to_string(parts.size());
    const uint32_t ranks = recordedRankCount(scene, of);
    if (ranks > parts.size())
        out.text +=
            " (" + std::to_string(ranks) + " ranks take part; the reports of the others are not open)";
    if (last->slice != first.slice)
        out.text += ", " + late.text + " after the first: " + rankLabel(scene, first.slice);
    if (isByLength) {
        out.text += "; determined by duration (the shortest): the clock error allows " +
                    std::to_string(candidates + 1) + " candidates";
    } else if (candidates > 0) {
        out.text += "; the clock error allows " + std::to_string(candidates) + " more candidates";
    } else if (waitsForAll && shortest->slice != last->slice && shortest->length < last->length) {
        out.text += "; by duration, the last is " + rankLabel(scene, shortest->slice) + " (shortest)";
    }
    return out;
}

} // namespace lockstep
