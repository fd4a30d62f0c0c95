// The lanes of tracks and counters: streams, NVTX domains, kinds of work of a thread. Part of
// LaneTreeBuilder.
#include <algorithm>
#include <limits>
#include <tuple>

#include "core/lanes/lane_label.h"
#include "core/lanes/lane_shelves.h"
#include "core/lanes/lane_tree_builder.h"

namespace lockstep {

namespace {

// Busy time of a track: the union of its slices, which may overlap on different depths.
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

// Tracks with equal keys share a lane: each stream, NVTX domain and track that the file gave a name has its
// own, the rest is one lane a kind.
// A domain's number is its process' and its capture's; its name stays.
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

} // namespace

RowSource LaneTreeBuilder::trackSource(TrackRef ref) const
{
    RowSource source{.kind = RowSource::Kind::track, .report = ref.report, .track = ref.track};
    const Report& r = report(ref.report);
    const Track& of = track(ref);
    const int64_t begin = r.slices.start_ns[of.firstSlice.value];
    int64_t end = begin;
    for (uint16_t depth = 0; depth < of.depthCount; ++depth) {
        const LodRow row = lod(ref.report).slices().row(r, ref.track, depth);
        if (row.count() > 0) end = std::max(end, row.end(row.count() - 1));
    }
    source.extent = {{begin}, {end}};
    return source;
}

TimeRange LaneTreeBuilder::alignedExtent(const RowSource& source) const
{
    const ClockMap& map = m_alignment.map(source.report);
    return {map.alignedFromTrace(source.extent.begin), map.alignedFromTrace(source.extent.end)};
}

void LaneTreeBuilder::addTrackLanes(uint32_t parent, Tracks tracks)
{
    const auto keyOf = [&](TrackRef ref) { return laneKeyOf(report(ref.report), track(ref)); };
    const auto toolOf = [&](TrackRef ref) { return toolWord(report(ref.report)); };
    std::ranges::stable_sort(tracks, {}, keyOf);
    for (size_t begin = 0, end = 0; begin < tracks.size(); begin = end) {
        while (end < tracks.size() && keyOf(tracks[end]) == keyOf(tracks[begin]))
            ++end;
        std::map<std::string, Tracks> byTool;
        for (size_t i = begin; i < end; ++i)
            byTool[toolOf(tracks[i])].push_back(tracks[i]);
        const TrackKey& first = track(tracks[begin]).key;
        const bool hasTwin = std::ranges::any_of(tracks, [&](TrackRef ref) {
            const TrackKey& key = track(ref).key;
            return key.kind == first.kind && key.kind != TrackKind::nvtx && key.lane == first.lane &&
                   key.context != first.context && toolOf(ref) == toolOf(tracks[begin]);
        });
        for (const auto& [tool, ofTool] : byTool) {
            std::string suffix;
            if (hasTwin) appendWord(suffix, "context " + std::to_string(first.context));
            if (byTool.size() > 1) appendWord(suffix, tool);
            addTrackLane(parent, ofTool, suffix, tool);
        }
    }
}

void LaneTreeBuilder::addTrackLane(uint32_t parent, const Tracks& tracks, const std::string& suffix,
                                   std::string_view tool)
{
    const Report& r = report(tracks.front().report);
    const Track& first = track(tracks.front());
    const auto isSecondOfReport = [&](TrackRef ref) {
        return ref.report == tracks.front().report && ref.track != tracks.front().track;
    };
    const bool isKind = std::ranges::any_of(tracks, isSecondOfReport) && first.key.kind != TrackKind::other;
    std::string label = isKind ? trackKindLabel(first.key.kind)
                               : trackLabel(r, lod(tracks.front().report), tracks.front().track);
    appendWord(label, suffix);
    const auto [kind, name, number, context] = laneKeyOf(r, first);
    std::string keyPart = trackKindLabel(kind) + " " + std::string(tool) + " " + std::to_string(number);
    if (context != 0) keyPart += "." + std::to_string(context);
    if (!name.empty()) keyPart += " " + std::string(name);
    setTracks(add(LaneSubject::track, parent, keyPart, label), tracks);
}

void LaneTreeBuilder::setTracks(uint32_t index, const Tracks& tracks)
{
    // The tracks of one report stand under each other, in one block; captures share rows where time allows.
    std::vector<RowSource> sources;
    std::vector<LaneBlock> blocks;
    std::vector<size_t> blockOf;
    int64_t busy_ns = 0, span_ns = 0;
    const bool isStream = track(tracks.front()).key.kind == TrackKind::gpuStream;
    for (size_t i = 0; i < tracks.size(); ++i) {
        RowSource source = trackSource(tracks[i]);
        const bool isNew = i == 0 || tracks[i].report != tracks[i - 1].report;
        if (isNew) {
            blocks.push_back({alignedExtent(source), 0, 0});
            span_ns += report(source.report).extent.length().ns;
        }
        source.row = blocks.back().height;
        blocks.back().height += track(tracks[i]).depthCount;
        const TimeRange extent = alignedExtent(source);
        blocks.back().extent = {std::min(blocks.back().extent.begin, extent.begin),
                                std::max(blocks.back().extent.end, extent.end)};
        blockOf.push_back(blocks.size() - 1);
        if (isStream) busy_ns += busyTime(report(source.report), lod(source.report), source.track);
        sources.push_back(source);
    }
    Lane& lane = m_tree.m_lanes[index];
    lane.rowCount = shelveBlocks(blocks);
    for (size_t i = 0; i < sources.size(); ++i)
        sources[i].row += blocks[blockOf[i]].row;
    std::ranges::stable_sort(sources, {}, [&](const RowSource& source) {
        return std::pair(source.row, alignedExtent(source).begin);
    });
    lane.summary = outermostRows(sources);
    lane.isSummaryOfOne = lane.summary.size() == sources.size() &&
                          std::ranges::all_of(sources, [](const RowSource& s) { return s.row == 0; });
    lane.sources = std::move(sources);
    if (isStream) lane.value = percentText(busy_ns, span_ns);
    setLaneOf(index);
}

std::vector<RowSource> LaneTreeBuilder::outermostRows(const std::vector<RowSource>& tracks) const
{
    std::vector<RowSource> rows;
    for (RowSource source : tracks) {
        source.row = 0;
        const uint16_t depths = report(source.report).track(source.track).depthCount;
        for (source.depth = 0; source.depth < depths; ++source.depth) {
            if (lod(source.report).slices().isOutermost(source.track, source.depth)) rows.push_back(source);
        }
    }
    return rows;
}

void LaneTreeBuilder::setLaneOf(uint32_t index)
{
    for (const RowSource& source : m_tree.m_lanes[index].sources) {
        m_tree.m_laneOfTrack[source.report][source.track.value] = index;
    }
}

void LaneTreeBuilder::addCounters(uint32_t parent, const std::vector<CounterRef>& counters)
{
    // Of each name and tool one lane, and more where captures overlap or a report has several.
    std::vector<std::pair<std::string, std::vector<RowSource>>> lanes;
    std::map<std::string, size_t> laneOf;
    for (const CounterRef ref : counters) {
        const Report& r = report(ref.report);
        const CounterTrack& counter = r.counterTracks[ref.counter.value];
        RowSource source{.kind = RowSource::Kind::counter, .report = ref.report, .counter = ref.counter};
        // A value holds until the report ends.
        source.extent = {{r.counters.time_ns[counter.firstSample]}, r.extent.end};
        const std::string name(r.strings.at(counter.name));
        const auto [found, isNew] = laneOf.try_emplace(toolWord(r) + "\n" + name, lanes.size());
        if (isNew) lanes.push_back({name, {}});
        lanes[found->second].second.push_back(source);
    }
    for (const auto& [name, sources] : lanes) {
        std::vector<LaneBlock> blocks;
        for (const RowSource& source : sources)
            blocks.push_back({alignedExtent(source), 1, 0});
        const uint32_t shelves = shelveBlocks(blocks);
        for (uint32_t shelf = 0; shelf < shelves; ++shelf) {
            std::vector<RowSource> ofShelf;
            for (size_t i = 0; i < sources.size(); ++i) {
                if (blocks[i].row == shelf) ofShelf.push_back(sources[i]);
            }
            addCounter(parent, name, ofShelf);
        }
    }
}

void LaneTreeBuilder::addCounter(uint32_t parent, const std::string& name,
                                 const std::vector<RowSource>& sources)
{
    Lane& lane =
        m_tree.m_lanes[add(LaneSubject::counter, parent, "counter " + name, name.empty() ? "counter" : name)];
    lane.sources = sources;
    std::ranges::stable_sort(lane.sources, {}, [&](const RowSource& s) { return alignedExtent(s).begin; });
    lane.summary = lane.sources;
    const RowSource& first = sources.front();
    double largest = lod(first.report).counters().largest(first.counter);
    for (const RowSource& source : sources) {
        const CounterLod& counters = lod(source.report).counters();
        largest = std::max(largest, counters.largest(source.counter));
        lane.counterLow = std::min(lane.counterLow, counters.smallest(source.counter));
    }
    const Report& r = report(first.report);
    const std::string_view unit = r.strings.at(r.counterTracks[first.counter.value].unit);
    // 0, or the smallest value when that is below 0, is the bottom; percent has a top of at least 100.
    lane.counterHigh = std::max(largest, unit == "%" ? 100.0 : 0.0);
    lane.value = counterValueText(largest, unit);
}

} // namespace lockstep
