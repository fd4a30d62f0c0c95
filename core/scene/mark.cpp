// SPDX-License-Identifier: Apache-2.0
#include "core/scene/mark.h"

#include <algorithm>
#include <array>

namespace lockstep {

namespace {

constexpr std::array<std::string_view, 4> kMarkKinds{"time", "range", "slice", "area"};
constexpr std::array<std::string_view, 9> kPlacements{"yes",        "by name",         "by process",
                                                      "by UTC",     "by axis",         "slice not found",
                                                      "other axis", "report not open", "several reports"};

bool isSame(const std::shared_ptr<const ReportAnchor>& a, const std::shared_ptr<const ReportAnchor>& b)
{
    return a == b || (a != nullptr && b != nullptr && *a == *b);
}

MomentAnchor momentOf(const Scene& scene, TraceTime aligned, ReportKey report)
{
    MomentAnchor moment{aligned, nullptr, {}};
    if (!report.isValid() || !scene.open.has(report)) return moment;
    moment.report = std::make_shared<const ReportAnchor>(
        anchorOf(scene.open.report(report), scene.open.identity(report)));
    moment.at = scene.alignment.map(report).traceFromAligned(aligned);
    return moment;
}

Mark emptyMark(const Scene& scene, MarkKind kind, int64_t now)
{
    Mark mark;
    mark.kind = kind;
    mark.createdAt_utc_ns = now;
    mark.axis =
        std::make_shared<const AxisAnchor>(AxisAnchor{scene.alignment.utcAtZero_ns, scene.alignment.basis});
    return mark;
}

// Returns the worse of two placings, i.e. the less certain one or the reason for a failure.
MarkPlacement worse(MarkPlacement a, MarkPlacement b)
{
    return std::max(a, b);
}

} // namespace

std::string_view markKindName(MarkKind kind)
{
    return kMarkKinds[static_cast<size_t>(kind)];
}

std::optional<MarkKind> markKindFromName(std::string_view name)
{
    const auto found = std::ranges::find(kMarkKinds, name);
    if (found == kMarkKinds.end()) return std::nullopt;
    return static_cast<MarkKind>(found - kMarkKinds.begin());
}

std::string_view markPlacementName(MarkPlacement placement)
{
    return kPlacements[static_cast<size_t>(placement)];
}

bool operator==(const MomentAnchor& a, const MomentAnchor& b)
{
    return a.aligned == b.aligned && a.at == b.at && isSame(a.report, b.report);
}

bool operator==(const Mark& a, const Mark& b)
{
    const bool isAxisSame = a.axis == b.axis || (a.axis && b.axis && *a.axis == *b.axis);
    return isAxisSame && a.number == b.number && a.kind == b.kind && a.text == b.text &&
           a.createdAt_utc_ns == b.createdAt_utc_ns && a.begin == b.begin && a.end == b.end &&
           a.track == b.track && a.name == b.name && a.lane == b.lane && a.lanes == b.lanes;
}

std::string markName(const Mark& mark)
{
    return (mark.isNote() ? "note " : "marker ") + std::to_string(mark.number);
}

std::string trackText(const Report& report, const Track& track)
{
    const TrackKey& key = track.key;
    std::string text = std::to_string(static_cast<int>(key.kind));
    const auto add = [&text](char what, int64_t number) { text += ' ' + (what + std::to_string(number)); };
    if (key.process.isValid()) add('p', report.processes[key.process.value].pid);
    if (key.thread.isValid()) add('t', report.threads[key.thread.value].tid);
    if (key.device.isValid()) add('g', report.devices[key.device.value].ordinal);
    add('l', key.lane);
    add('c', key.context);
    return text;
}

Mark markOfTime(const Scene& scene, TraceTime aligned, ReportKey report, int64_t now)
{
    Mark mark = emptyMark(scene, MarkKind::time, now);
    mark.begin = mark.end = momentOf(scene, aligned, report);
    return mark;
}

Mark markOfRange(const Scene& scene, TimeRange aligned, ReportKey began, ReportKey ended, int64_t now)
{
    Mark mark = emptyMark(scene, MarkKind::range, now);
    mark.begin = momentOf(scene, aligned.begin, began);
    mark.end = momentOf(scene, aligned.end, ended);
    return mark;
}

Mark markOfSlice(const Scene& scene, SliceRef slice, int64_t now)
{
    Mark mark = emptyMark(scene, MarkKind::slice, now);
    const Report& report = scene.shown.report(slice.report);
    const ClockMap& clock = scene.alignment.map(slice.report);
    mark.begin = momentOf(scene, clock.alignedFromTrace(report.slices.start(slice.slice)), slice.report);
    mark.end = mark.begin;
    mark.end.aligned = clock.alignedFromTrace(report.slices.end(slice.slice));
    // Uses the original timestamps, because converting to the axis and back may be off by 1 ns.
    mark.begin.at = report.slices.start(slice.slice);
    mark.end.at = report.slices.end(slice.slice);
    const TrackId track = report.trackOf(slice.slice);
    mark.track = trackText(report, report.track(track));
    mark.name = report.nameOf(slice.slice);
    const uint32_t lane = scene.tree->laneOf({slice.report, track});
    if (lane != kNoLane) mark.lane = scene.tree->pathOf(lane);
    return mark;
}

Mark markOfArea(const Scene& scene, TimeRange aligned, std::vector<std::string> lanes, int64_t now)
{
    // The report of the area's lanes, if there is only one. The clock of a report keeps the position of the
    // area better than the axis does.
    ReportKey only;
    bool isOfOne = !lanes.empty();
    for (const std::string& key : lanes) {
        const uint32_t at = scene.tree->find(key);
        const ReportKey report = at == kNoLane ? ReportKey() : scene.tree->lane(at).report;
        isOfOne = isOfOne && report.isValid() && (!only.isValid() || only == report);
        only = report;
    }
    Mark mark = markOfRange(scene, aligned, isOfOne ? only : ReportKey(), isOfOne ? only : ReportKey(), now);
    mark.kind = MarkKind::area;
    mark.lanes = std::move(lanes);
    return mark;
}

ReportFinder::Found MarkPlacer::find(const std::shared_ptr<const ReportAnchor>& anchor)
{
    if (!m_finder) m_finder.emplace(m_scene.open);
    const auto [at, isNew] = m_found.try_emplace(anchor.get());
    if (isNew) at->second = m_finder->find(*anchor);
    return at->second;
}

MarkPlacer::Moment MarkPlacer::place(const MomentAnchor& moment, const AxisAnchor& axis)
{
    if (moment.report != nullptr) {
        const ReportFinder::Found found = find(moment.report);
        if (!found.report.isValid()) {
            return {std::nullopt,
                    {},
                    found.match == AnchorMatch::ambiguous ? MarkPlacement::reportAmbiguous
                                                          : MarkPlacement::reportNotOpen};
        }
        const MarkPlacement placement = found.match == AnchorMatch::exact  ? MarkPlacement::exact
                                        : found.match == AnchorMatch::name ? MarkPlacement::byName
                                                                           : MarkPlacement::byOwner;
        return {m_scene.alignment.map(found.report).alignedFromTrace(moment.at), found.report, placement};
    }
    const auto& now = m_scene.alignment.utcAtZero_ns;
    if (axis.utcAtZero_ns.has_value() != now.has_value())
        return {std::nullopt, {}, MarkPlacement::incompatibleAxis};
    if (!now) return {moment.aligned, {}, MarkPlacement::byAxis};
    return {moment.aligned + Duration{*axis.utcAtZero_ns - *now}, {}, MarkPlacement::byUtc};
}

// Returns all reports of the same capture, or only `key` if the report is not a chunk.
const std::vector<ReportKey>& MarkPlacer::chunksOf(ReportKey key)
{
    const auto [at, isNew] = m_chunks.try_emplace(key);
    if (!isNew) return at->second;
    const Report& report = m_scene.open.report(key);
    at->second.push_back(key);
    if (!report.chunk) return at->second;
    for (const ReportKey other : m_scene.open.keys()) {
        const Report& candidate = m_scene.open.report(other);
        if (other != key && candidate.chunk && candidate.provenance.path == report.provenance.path)
            at->second.push_back(other);
    }
    return at->second;
}

// The slice of a mark on a capture that is still recorded moves between chunks.
SliceRef MarkPlacer::findSlice(const Mark& mark, ReportKey key)
{
    for (const ReportKey chunk : chunksOf(key)) {
        const SliceId slice = findIn(mark, chunk);
        if (slice.isValid()) return {chunk, slice};
    }
    return {};
}

// A slice that was still open when it was marked ends later than the mark. So if no slice ends with the mark,
// returns the only one that starts with it and has its name.
SliceId MarkPlacer::findIn(const Mark& mark, ReportKey key)
{
    const Report& report = m_scene.open.report(key);
    if (const auto [at, isNew] = m_hasTracks.try_emplace(key, true); isNew) {
        for (size_t i = 0; i < report.tracks.size(); ++i)
            m_tracks.try_emplace({key, trackText(report, report.tracks[i])}, TrackId(i));
    }
    const auto found = m_tracks.find({key, mark.track});
    if (found == m_tracks.end()) return {};
    const Track& track = report.track(found->second);
    const auto& starts = report.slices.start_ns;
    const auto first = starts.begin() + track.firstSlice.value;
    const auto last = first + track.sliceCount;
    SliceId grown;
    size_t started = 0;
    for (auto at = std::lower_bound(first, last, mark.begin.at.ns); at != last && *at == mark.begin.at.ns;
         ++at) {
        const SliceId slice(static_cast<size_t>(at - starts.begin()));
        if (report.nameOf(slice) != mark.name) continue;
        if (report.slices.end(slice) == mark.end.at) return slice;
        grown = slice;
        ++started;
    }
    return started == 1 ? grown : SliceId();
}

PlacedMark MarkPlacer::place(const Mark& mark)
{
    const Moment begin = place(mark.begin, *mark.axis), end = place(mark.end, *mark.axis);
    PlacedMark placed;
    placed.placement = worse(begin.placement, end.placement);
    placed.report = begin.report;
    if (!begin.aligned || !end.aligned) return placed;
    placed.aligned =
        TimeRange{std::min(*begin.aligned, *end.aligned), std::max(*begin.aligned, *end.aligned)};
    if (mark.kind != MarkKind::slice) return placed;
    placed.slice = findSlice(mark, begin.report);
    if (!placed.slice.isValid()) {
        placed.placement = worse(placed.placement, MarkPlacement::sliceNotFound);
        return placed;
    }
    placed.report = placed.slice.report;
    placed.aligned =
        m_scene.alignment.map(placed.report)
            .alignedFromTrace(m_scene.open.report(placed.report).slices.range(placed.slice.slice));
    return placed;
}

std::string MarkPlacer::explain(const Mark& mark, const PlacedMark& placed) const
{
    const auto& anchor = mark.begin.report != nullptr ? mark.begin.report : mark.end.report;
    const std::string report = anchor != nullptr ? describe(*anchor) : std::string();
    switch (placed.placement) {
    case MarkPlacement::exact:
        return {};
    case MarkPlacement::byName:
        return "placed by a report with the same name; its original report, " + report +
               ", is a different one";
    case MarkPlacement::byOwner:
        return "placed by another report of its process; " + report + " is not open";
    case MarkPlacement::byUtc:
        return "set on the axis, not in a report: placed by UTC";
    case MarkPlacement::byAxis:
        return "set on the axis, not in a report, and no open report "
               "records UTC: it moves with the zero of the axis";
    case MarkPlacement::sliceNotFound:
        return "its slice is no longer in " + report + "; its time is unchanged";
    case MarkPlacement::incompatibleAxis:
        return "set on an axis " +
               std::string(mark.axis->utcAtZero_ns ? "with UTC, but this axis has none"
                                                   : "without UTC, but this axis has one") +
               ": it cannot be placed";
    case MarkPlacement::reportNotOpen:
        return report + " is not open";
    case MarkPlacement::reportAmbiguous:
        return "several open reports could be " + report;
    }
    return {};
}

} // namespace lockstep
