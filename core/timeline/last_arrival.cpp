// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/last_arrival.h"

#include <algorithm>

#include "core/timeline/collective_parts.h"
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

// "rank 9 · node1", or the file where no rank is known.
std::string whoIs(const Scene& scene, SliceRef part)
{
    const Report& report = scene.shown.report(part.report);
    const Identity& identity =
        scene.shown.identity(part.report, report.track(report.trackOf(part.slice)).key.process);
    std::string who = identity.rank.isKnown() ? "rank " + std::to_string(*identity.rank.value)
                                              : report.provenance.path.filename().string();
    if (identity.host.isKnown()) who += " \u00B7 " + *identity.host.value;
    return who;
}

Measure between(const Scene& scene, const ArrivedPart& earlier, const ArrivedPart& later)
{
    return measureBetween(scene.alignment, earlier.slice.report, later.slice.report,
                          later.start - earlier.start);
}

// How many ranks the collective has as its file states it; 0: it does not.
uint32_t statedRanks(const Scene& scene, SliceRef of)
{
    const Report& report = scene.shown.report(of.report);
    const auto op = std::ranges::lower_bound(report.collectives, of.slice, {}, &CollectiveOp::slice);
    const bool isStated = op != report.collectives.end() && op->slice == of.slice;
    return isStated && op->groupSize != CollectiveOp::kAbsent ? op->groupSize : 0;
}

} // namespace

LastArrival lastArrivalOf(const Scene& scene, SliceRef of)
{
    LastArrival out;
    const CollectivePeers peers = collectiveParts(scene, of);
    const std::vector<ArrivedPart> parts = partsByStart(scene, peers);
    if (parts.size() < 2) {
        out.text = "no collective is known that this slice is part of: none was matched with it, and no file "
                   "states one that others state too";
        return out;
    }
    // Where nobody leaves before all have come, who stayed shortest came last, whatever the clocks say.
    const bool waitsForAll = peers.cause.isValid();
    const auto shortest = std::ranges::min_element(parts, {}, &ArrivedPart::length);
    auto last = std::prev(parts.end());
    const auto isUndecided = [&](const ArrivedPart& part) {
        return part.slice != last->slice && !between(scene, part, *last).isDecided();
    };
    const auto rivals = std::ranges::count_if(parts, isUndecided);
    const bool isByLength = waitsForAll && rivals > 0 && isUndecided(*shortest);
    if (isByLength) last = shortest;
    out.slice = last->slice;
    out.isItself = last->slice == of;
    const ArrivedPart& first = parts.front();
    const Measure late = between(scene, first, *last);
    out.text = whoIs(scene, last->slice) + " came last of " + std::to_string(parts.size());
    const uint32_t ranks = statedRanks(scene, of);
    if (ranks > parts.size())
        out.text += " (" + std::to_string(ranks) + " take part, the others are not open)";
    if (last->slice != first.slice)
        out.text += ", " + late.text + " after the first, " + whoIs(scene, first.slice);
    if (isByLength) {
        out.text += "; by its length, the shortest: the clocks leave " + std::to_string(rivals + 1) +
                    " ranks to choose from";
    } else if (rivals > 0) {
        out.text += "; the clocks cannot tell it from " + std::to_string(rivals) + " more";
    } else if (waitsForAll && shortest->slice != last->slice && shortest->length < last->length) {
        out.text += "; by length " + whoIs(scene, shortest->slice) + " did, which stayed shortest";
    }
    return out;
}

} // namespace lockstep
