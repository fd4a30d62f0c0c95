// SPDX-License-Identifier: Apache-2.0
#include "core/search/event_facts.h"

#include <algorithm>

#include "core/align/collective_peers.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

const CollectiveOp* collectiveOf(const Report& report, SliceId slice)
{
    const auto found = std::ranges::lower_bound(report.collectives, slice, {}, &CollectiveOp::slice);
    return found != report.collectives.end() && found->slice == slice ? &*found : nullptr;
}

std::string communicatorText(const Report& report, const CollectiveOp& op)
{
    std::string text = op.group.isValid() ? std::string(report.strings.at(op.group)) : std::string();
    if (op.groupSize == CollectiveOp::kAbsent) return text;
    return text + (text.empty() ? "" : " ") + "(" + std::to_string(op.groupSize) + " ranks)";
}

// Returns only the letters, in lower case, because "_allgather_base" and "ncclAllGather" denote the same
// operation.
std::string lettersOf(std::string_view text)
{
    std::string out = lowerAscii(text);
    std::erase_if(out, [](char c) { return c < 'a' || c > 'z'; });
    return out;
}

// Returns bytes times the algorithm's bus factor; nullopt if it is unclear what the recorded size means.
std::optional<double> busBytes(const Report& report, const CollectiveOp& op)
{
    constexpr uint64_t kAbsent = CollectiveOp::kAbsentCount;
    if (!op.collective.isValid() || op.groupSize == CollectiveOp::kAbsent || op.groupSize < 2) return {};
    if (op.message_bytes == kAbsent || op.message_bytes == 0) return {};
    const auto ranks = static_cast<double>(op.groupSize);
    const auto message = static_cast<double>(op.message_bytes);
    const std::string what = lettersOf(report.strings.at(op.collective));
    if (what.find("allreduce") != std::string::npos) return 2 * (ranks - 1) / ranks * message;
    const bool movesAll =
        what.find("allgather") != std::string::npos || what.find("reducescatter") != std::string::npos;
    const bool hasBothCounts = op.inElements != kAbsent && op.outElements != kAbsent && op.inElements > 0;
    if (!movesAll || !hasBothCounts) return {};
    // message_bytes is the input size; the larger of input and output is the total over all ranks.
    const auto largest = static_cast<double>(std::max(op.inElements, op.outElements));
    return (ranks - 1) / ranks * message * largest / static_cast<double>(op.inElements);
}

std::string threadText(const Report& report, ThreadId id)
{
    if (!id.isValid()) return {};
    const Thread& thread = report.threads[id.value];
    const std::string number = std::to_string(thread.tid);
    const std::string_view name = thread.name.isValid() ? report.strings.at(thread.name) : std::string_view();
    return name.empty() ? number : std::string(name) + " " + number;
}

} // namespace

EventFacts eventFacts(const Scene& scene, SliceRef ref)
{
    const Report& report = scene.shown.report(ref.report);
    const ClockMap& map = scene.alignment.map(ref.report);
    const uint32_t row = ref.slice.value;
    EventFacts facts;
    const TimeRange range = map.alignedFromTrace(report.slices.range(ref.slice));
    facts.start = range.begin;
    facts.duration = report.slices.duration(ref.slice);
    facts.isInstant = report.slices.isInstant(ref.slice);
    facts.isOpenEnd = (report.slices.flags[row] & sliceFlag::kOpenEnd) != 0;
    facts.name = report.nameOf(ref.slice);
    facts.category = report.slices.category[row];
    facts.kind = report.slices.kind[row];
    facts.details = report.factsOf(ref.slice);
    const TrackId trackId = report.trackOf(ref.slice);
    const Track& track = report.track(trackId);
    const Identity& identity = scene.shown.identity(ref.report, track.key.process);
    facts.rank = identity.rank.value;
    facts.node = identity.host.value.value_or(std::string());
    if (const uint32_t lane = scene.tree->laneOf({ref.report, trackId}); lane != kNoLane)
        facts.lane = scene.tree->lane(lane).label;
    facts.thread = threadText(report, track.key.thread);
    constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    if (const MemoryOp* const op = report.memoryOpOf(ref.slice); op != nullptr && op->size_bytes <= kMax)
        facts.size_bytes = static_cast<int64_t>(op->size_bytes);
    if (const CollectiveOp* const op = collectiveOf(report, ref.slice)) {
        facts.communicator = communicatorText(report, *op);
        if (op->message_bytes <= kMax) facts.size_bytes = static_cast<int64_t>(op->message_bytes);
        const auto bytes = busBytes(report, *op);
        if (bytes && facts.duration.ns > 0) facts.bus_GBps = *bytes / static_cast<double>(facts.duration.ns);
    }
    return facts;
}

std::optional<ArrivalSkew> arrivalSkew(const Scene& scene, SliceRef slice)
{
    const CollectivePeers peers = peersOf(scene.shown, scene.alignment, slice);
    if (peers.parts.size() < 2) return std::nullopt;
    const auto startOf = [&](SliceRef part) {
        return scene.alignment.map(part.report)
            .alignedFromTrace(scene.shown.report(part.report).slices.start(part.slice));
    };
    const SliceRef first = *std::ranges::min_element(peers.parts, {}, startOf);
    ArrivalSkew skew{startOf(slice) - startOf(first), std::nullopt};
    const PairError error = scene.alignment.errorBetween(slice.report, first.report);
    const auto known = error.guaranteed_ns ? error.guaranteed_ns : error.likely_ns;
    if (known) skew.bound = Duration{*known};
    return skew;
}

} // namespace lockstep
