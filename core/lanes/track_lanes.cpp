// SPDX-License-Identifier: Apache-2.0
// Builds the lanes for tracks and counters: streams, NVTX domains, and the activities of a thread. Part of
// ProcessLanesBuilder.
#include <algorithm>
#include <limits>
#include <tuple>

#include "core/lanes/counter_lanes.h"
#include "core/lanes/lane_label.h"
#include "core/lanes/lane_packing.h"
#include "core/lanes/process_lanes_builder.h"

namespace lockstep {

namespace {

// Returns the busy time of a track, i.e. of the union of its slices, which may overlap at different depths.
int64_t busyTime(const Report& report, const ReportLod& lod, TrackId id)
{
    const Track& track = report.track(id);
    if (track.depthCount == 1) return lod.slices().row(report, id, 0).totalBusy_ns();
    int64_t busy = 0, end = std::numeric_limits<int64_t>::min();
    for (uint32_t i = track.firstSlice.value; i < track.firstSlice.value + track.sliceCount; ++i) {
        const int64_t start = std::max(report.slices.start_ns[i], end);
        end = std::max(end, report.slices.start_ns[i] + report.slices.duration_ns[i]);
        busy += std::max<int64_t>(0, end - start);
    }
    return busy;
}

// Tracks with equal keys share a lane. Each stream, NVTX domain and named track has its own lane; other
// tracks share one lane per kind. The ID of a domain is specific to a process and capture, but the name of a
// domain is stable.
auto laneKeyOf(const Report& report, const Track& track)
{
    const bool isOwn = track.key.kind <= TrackKind::nvtx;
    std::string_view name;
    if (track.key.kind == TrackKind::nvtx || track.key.kind == TrackKind::other)
        name = report.strings.at(track.name);
    if (name == "NVTX" || name == "default") name = {};
    return std::tuple(track.key.kind, name, isOwn && name.empty() ? track.key.lane : 0,
                      isOwn ? track.key.context : 0);
}

RowSource sourceOf(ReportKey key, const Report& report, const ReportLod& lod, TrackId id)
{
    RowSource source{.kind = RowSource::Kind::track, .report = key, .track = id};
    const Track& track = report.track(id);
    const int64_t begin = report.slices.start_ns[track.firstSlice.value];
    int64_t end = begin;
    for (uint16_t depth = 0; depth < track.depthCount; ++depth) {
        const LodRow row = lod.slices().row(report, id, depth);
        if (row.count() > 0) end = std::max(end, row.end(row.count() - 1));
    }
    source.extent = {{begin}, {end}};
    return source;
}

} // namespace

TimeRange ProcessLanesBuilder::alignedExtent(const RowSource& source) const
{
    return memberOf(source).map.alignedFromTrace(source.extent);
}

void ProcessLanesBuilder::addTrackLanes(uint32_t parent, Tracks tracks)
{
    const auto keyOf = [](const MemberTrack& of) { return laneKeyOf(*of.member->report, of.track()); };
    const auto toolOf = [](const MemberTrack& of) { return toolLabel(*of.member->report); };
    std::ranges::stable_sort(tracks, {}, keyOf);
    for (size_t begin = 0, end = 0; begin < tracks.size(); begin = end) {
        while (end < tracks.size() && keyOf(tracks[end]) == keyOf(tracks[begin]))
            ++end;
        std::map<std::string, Tracks> byTool;
        for (size_t i = begin; i < end; ++i)
            byTool[toolOf(tracks[i])].push_back(tracks[i]);
        const TrackKey& first = tracks[begin].track().key;
        const bool hasTwin = std::ranges::any_of(tracks, [&](const MemberTrack& of) {
            const TrackKey& key = of.track().key;
            return key.kind == first.kind && key.kind != TrackKind::nvtx && key.lane == first.lane &&
                   key.context != first.context && toolOf(of) == toolOf(tracks[begin]);
        });
        for (const auto& [tool, ofTool] : byTool) {
            std::string suffix;
            if (hasTwin) appendLabelPart(suffix, "context " + std::to_string(first.context));
            if (byTool.size() > 1) appendLabelPart(suffix, tool);
            addTrackLane(parent, ofTool, suffix, tool);
        }
    }
}

void ProcessLanesBuilder::addTrackLane(uint32_t parent, const Tracks& tracks, const std::string& suffix,
                                       std::string_view tool)
{
    const Member& member = *tracks.front().member;
    const Report& r = *member.report;
    const Track& first = tracks.front().track();
    const auto isSecondOfReport = [&](const MemberTrack& of) {
        return of.member->key == member.key && of.id != tracks.front().id;
    };
    const bool isNamed = first.key.kind == TrackKind::other || first.key.kind == TrackKind::diagnostics;
    const bool isKind = std::ranges::any_of(tracks, isSecondOfReport) && !isNamed;
    std::string label =
        isKind ? trackKindLabel(first.key.kind) : trackLabel(r, *member.lod, tracks.front().id);
    appendLabelPart(label, suffix);
    const auto [kind, name, number, context] = laneKeyOf(r, first);
    std::string keyPart = trackKindLabel(kind) + " " + std::string(tool) + " " + std::to_string(number);
    if (context != 0) keyPart += "." + std::to_string(context);
    if (!name.empty()) keyPart += " " + std::string(name);
    const bool isOfGraphs = first.key.kind == TrackKind::graphEvents;
    const uint32_t lane =
        add(isOfGraphs ? LaneSubject::graphEvents : LaneSubject::track, parent, keyPart, label);
    setTracks(lane, tracks);
    at(lane).startsCollapsed = first.key.kind == TrackKind::samples; // sample lanes show the same
}

void ProcessLanesBuilder::setTracks(uint32_t index, const Tracks& tracks)
{
    // The tracks from one report are adjacent and form one block. Captures share rows if they do not overlap
    // in time.
    std::vector<RowSource> sources;
    std::vector<LaneBlock> blocks;
    std::vector<size_t> blockOf;
    int64_t busy_ns = 0, span_ns = 0;
    const bool isStream = tracks.front().track().key.kind == TrackKind::gpuStream;
    for (size_t i = 0; i < tracks.size(); ++i) {
        const Member& member = *tracks[i].member;
        RowSource source = sourceOf(member.key, *member.report, *member.lod, tracks[i].id);
        const bool isNew = i == 0 || member.key != tracks[i - 1].member->key;
        if (isNew) {
            blocks.push_back({alignedExtent(source), 0, 0, recordingOf(member)});
            span_ns += member.report->extent.length().ns;
        }
        source.row = blocks.back().height;
        blocks.back().height += tracks[i].track().depthCount;
        const TimeRange extent = alignedExtent(source);
        blocks.back().extent = {std::min(blocks.back().extent.begin, extent.begin),
                                std::max(blocks.back().extent.end, extent.end)};
        blockOf.push_back(blocks.size() - 1);
        if (isStream) busy_ns += busyTime(*member.report, *member.lod, source.track);
        sources.push_back(source);
    }
    Lane& lane = at(index);
    lane.rowCount = packBlocks(blocks);
    for (size_t i = 0; i < sources.size(); ++i)
        sources[i].row += blocks[blockOf[i]].row;
    sortInTime(sources);
    lane.summary = outermostRows(sources);
    lane.isSummaryOfOne = lane.summary.size() == sources.size() &&
                          std::ranges::all_of(sources, [](const RowSource& s) { return s.row == 0; });
    lane.sources = std::move(sources);
    if (isStream) lane.value = percentText(busy_ns, span_ns);
    setLaneOf(index);
}

// Sorts by row, then time. Chunks of one recording are sorted by their sequence, because a chunk may begin
// before the end of the previous one.
void ProcessLanesBuilder::sortInTime(std::vector<RowSource>& sources) const
{
    std::map<std::pair<uint32_t, uint32_t>, TraceTime> begins; // by row and recording
    for (const RowSource& source : sources) {
        const TraceTime begin = alignedExtent(source).begin;
        const auto [known, isNew] = begins.try_emplace({source.row, recordingOf(memberOf(source))}, begin);
        if (!isNew) known->second = std::min(known->second, begin);
    }
    std::ranges::stable_sort(sources, {}, [&](const RowSource& source) {
        const Member& member = memberOf(source);
        const uint32_t recording = recordingOf(member);
        return std::tuple(source.row,
                          recording == 0 ? alignedExtent(source).begin : begins.at({source.row, recording}),
                          recording, member.report->chunk.value_or(0));
    });
}

uint32_t ProcessLanesBuilder::recordingOf(const Member& member) const
{
    if (!member.report->chunk) return 0;
    const auto& all = members();
    const auto first = std::ranges::find_if(all, [&](const Member& other) {
        return other.report->chunk && other.report->provenance.path == member.report->provenance.path;
    });
    return static_cast<uint32_t>(first - all.begin()) + 1;
}

std::vector<RowSource> ProcessLanesBuilder::outermostRows(const std::vector<RowSource>& tracks) const
{
    std::vector<RowSource> rows;
    for (RowSource source : tracks) {
        source.row = 0;
        const Member& member = memberOf(source);
        const uint16_t depths = member.report->track(source.track).depthCount;
        for (source.depth = 0; source.depth < depths; ++source.depth) {
            if (member.lod->slices().isOutermost(source.track, source.depth)) rows.push_back(source);
        }
    }
    return rows;
}

void ProcessLanesBuilder::setLaneOf(uint32_t index)
{
    for (const RowSource& source : at(index).sources)
        m_out->m_laneOf[{source.report, source.track}] = index;
}

void ProcessLanesBuilder::addCounters(uint32_t parent, const std::vector<MemberCounter>& counters)
{
    // There is one lane per name and tool. There are more lanes if captures overlap or if one report has
    // several such tracks.
    std::vector<std::pair<std::string, std::vector<RowSource>>> lanes;
    std::map<std::string, size_t> laneOf;
    for (const auto& [member, id] : counters) {
        const Report& r = *member->report;
        const CounterTrack& counter = r.counterTracks[id.value];
        RowSource source{.kind = RowSource::Kind::counter, .report = member->key, .counter = id};
        // The last value applies until the end of the report.
        source.extent = {{r.counters.time_ns[counter.firstSample]}, r.extent.end};
        const std::string name(r.strings.at(counter.name));
        const auto [found, isNew] = laneOf.try_emplace(toolLabel(r) + "\n" + name, lanes.size());
        if (isNew) lanes.push_back({name, {}});
        lanes[found->second].second.push_back(source);
    }
    for (const auto& [name, sources] : lanes) {
        std::vector<LaneBlock> blocks;
        for (const RowSource& source : sources)
            blocks.push_back({alignedExtent(source), 1, 0, recordingOf(memberOf(source))});
        const uint32_t rowRanges = packBlocks(blocks);
        for (uint32_t rowRange = 0; rowRange < rowRanges; ++rowRange) {
            std::vector<RowSource> ofRowRange;
            for (size_t i = 0; i < sources.size(); ++i) {
                if (blocks[i].row == rowRange) ofRowRange.push_back(sources[i]);
            }
            addCounter(parent, name, ofRowRange);
        }
    }
}

// A counter of a recording that grows has no sample in many chunks. Its value applies until the next sample
// of the recording; the last one applies until the end of the newest chunk, or to the end of the axis for a
// log that is read as a whole. `counters`: sources of one lane, in the order of sortInTime().
void ProcessLanesBuilder::extendLastValues(std::vector<RowSource>& counters) const
{
    for (size_t i = 0; i < counters.size(); ++i) {
        const Member& member = memberOf(counters[i]);
        const uint32_t recording = recordingOf(member);
        if (recording == 0) continue;
        TraceTime& end = counters[i].extent.end;
        if (i + 1 < counters.size() && recordingOf(memberOf(counters[i + 1])) == recording) {
            end = counters[i + 1].extent.begin;
            continue;
        }
        size_t chunks = 0;
        for (const Member& other : members()) {
            if (recordingOf(other) != recording) continue;
            ++chunks;
            end = std::max(end, other.report->extent.end);
        }
        if (chunks == 1) end = std::max(end, member.map.traceFromAligned(source().axis.end));
    }
}

void ProcessLanesBuilder::addCounter(uint32_t parent, const std::string& name,
                                     const std::vector<RowSource>& sources)
{
    const uint32_t index =
        add(LaneSubject::counter, parent, "counter " + name, name.empty() ? "counter" : name);
    Lane& lane = at(index);
    lane.sources = sources;
    sortInTime(lane.sources);
    extendLastValues(lane.sources);
    lane.summary = lane.sources;
    const RowSource& first = sources.front();
    CounterLaneData scale;
    double largest = memberOf(first).lod->counters().largest(first.counter);
    for (const RowSource& source : sources) {
        const CounterLod& counters = memberOf(source).lod->counters();
        largest = std::max(largest, counters.largest(source.counter));
        scale.low = std::min(scale.low, counters.smallest(source.counter));
    }
    const Report& r = *memberOf(first).report;
    const std::string_view unit = r.strings.at(r.counterTracks[first.counter.value].unit);
    // The bottom of the scale is 0, or the smallest value if that is negative. For percentages, the top of
    // the scale is at least 100.
    scale.high = std::max(largest, unit == "%" ? 100.0 : 0.0);
    lane.data.set(scale);
    lane.value = counterValueText(largest, unit);
}

} // namespace lockstep
