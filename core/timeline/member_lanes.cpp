// The lanes of one process: GPUs, threads, counters. Part of LaneTreeBuilder.
#include <algorithm>
#include <limits>

#include "core/timeline/lane_label.h"
#include "core/timeline/lane_tree_builder.h"

namespace lockstep {

namespace {

constexpr size_t kExpandedMembers = 4;  // up to here processes start expanded
constexpr size_t kGpusOnlyMembers = 16; // up to here their GPUs do, with the threads folded; above, nothing
constexpr size_t kExpandedThreads = 2; // of each process, those that work with the GPU

bool drivesGpu(TrackKind kind)
{
    return kind == TrackKind::nvtx || kind == TrackKind::cudaApi || kind == TrackKind::ops;
}

// What a busy percentage is a percentage of. Not the session: a capture range may be a small part of it.
TimeRange spanOf(const Report& report)
{
    return report.extent;
}

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

// Tracks with equal keys share a lane: each stream and NVTX domain has its own, the rest is one lane a kind.
auto laneKeyOf(const Track& track)
{
    const bool isOwn = track.key.kind <= TrackKind::nvtx;
    return std::tuple(track.key.kind, isOwn ? track.key.lane : 0, isOwn ? track.key.context : 0);
}

} // namespace

void LaneTreeBuilder::addMember(const Member& member, const std::string& label)
{
    const Report& r = report(member.report);
    const std::string pid =
        member.process.isValid() ? std::to_string(r.processes[member.process.value].pid) : "system";
    const std::string keyPart = r.provenance.path.filename().string() + " " + pid;
    const ClockMap& map = m_alignment.map(member.report);
    const uint32_t index = add(LaneKind::process, groupFor(member), keyPart, label);
    Lane& lane = m_tree.m_lanes[index];
    lane.report = member.report;
    lane.role = member.identity.role.value.value_or("");
    if (!map.isPlaced()) {
        lane.label += kNotPlacedMark;
        lane.isPlaced = false;
        lane.note = map.reason;
    }
    if (m_shownLoss.insert(member.report).second) addDataLoss(index, member.report);

    std::map<int, std::map<DeviceId, std::vector<TrackId>>> gpus; // by ordinal
    std::map<ThreadId, std::vector<TrackId>> threads;
    std::vector<TrackId> rest;
    for (const TrackId id : member.tracks) {
        const TrackKey& key = r.track(id).key;
        if (key.device.isValid()) {
            gpus[r.devices[key.device.value].ordinal][key.device].push_back(id);
        } else if (key.thread.isValid()) {
            threads[key.thread].push_back(id);
        } else {
            rest.push_back(id);
        }
    }
    for (const CounterTrackId id : member.counters) {
        const DeviceId device = r.counterTracks[id.value].device;
        if (device.isValid()) gpus[r.devices[device.value].ordinal][device];
    }
    for (const auto& [ordinal, devices] : gpus) {
        for (const auto& [device, tracks] : devices)
            addGpu(index, member, device, tracks);
    }
    addThreads(index, member, threads);
    addTrackLanes(index, member, rest);
    addCounters(index, member, DeviceId());
    summarizeProcess(index);
}

void LaneTreeBuilder::addDataLoss(uint32_t parent, ReportId id)
{
    std::string lost;
    for (const ImportNote& note : report(id).notes.all()) {
        if (note.severity != NoteSeverity::dataLoss) continue;
        lost += (lost.empty() ? "" : "; ") + note.text + " (" + std::to_string(note.count) + ")";
    }
    if (lost.empty()) return;
    Lane& lane = m_tree.m_lanes[add(LaneKind::dataLoss, parent, "data loss", "data is missing")];
    lane.note = lost;
}

void LaneTreeBuilder::addGpu(uint32_t process, const Member& member, DeviceId device,
                             const std::vector<TrackId>& tracks)
{
    const Report& r = report(member.report);
    const ReportLod& lod = *m_lods[member.report.value];
    const uint32_t index = add(LaneKind::gpu, process,
                               "gpu " + std::to_string(r.devices[device.value].ordinal), gpuLabel(r, device));
    for (uint32_t i = 0; i < lod.busyRows().size(); ++i) {
        const BusyRow& busy = lod.busyRows()[i];
        if (busy.process() != member.process || busy.device() != device) continue;
        Lane& lane = m_tree.m_lanes[index];
        lane.sources.push_back({RowSource::Kind::busy, member.report, {}, i, {}});
        lane.summary = lane.sources;
        lane.label += " busy";
        lane.value = percentText(busy.row(r, lod.slices()).totalBusy_ns(), spanOf(r).length().ns);
    }
    addTrackLanes(index, member, tracks);
    addCounters(index, member, device);
}

void LaneTreeBuilder::addThreads(uint32_t process, const Member& member,
                                 const std::map<ThreadId, std::vector<TrackId>>& threads)
{
    const Report& r = report(member.report);
    std::vector<ThreadId> order;
    for (const auto& [thread, tracks] : threads)
        order.push_back(thread);
    const auto isBusyWithGpu = [&](ThreadId id) {
        return std::ranges::any_of(threads.at(id), [&](TrackId t) { return drivesGpu(r.track(t).key.kind); });
    };
    std::ranges::sort(order, {}, [&](ThreadId id) {
        const Thread& thread = r.threads[id.value];
        const bool isMain = member.process.isValid() && r.processes[member.process.value].pid == thread.tid;
        return std::tuple(!isMain, !isBusyWithGpu(id), thread.tid);
    });
    size_t expanded = 0;
    for (const ThreadId id : order) {
        const uint32_t lane = addThread(process, member, id, threads.at(id));
        m_tree.m_lanes[lane].startsCollapsed = !isBusyWithGpu(id) || ++expanded > kExpandedThreads;
    }
}

uint32_t LaneTreeBuilder::addThread(uint32_t process, const Member& member, ThreadId thread,
                                    const std::vector<TrackId>& tracks)
{
    const Report& r = report(member.report);
    const uint32_t index =
        add(LaneKind::thread, process, "thread " + std::to_string(r.threads[thread.value].tid),
            threadLabel(r, thread));
    addTrackLanes(index, member, tracks);
    Lane& lane = m_tree.m_lanes[index];
    if (lane.children.size() == 1) {
        // A thread that does one thing is one lane.
        const Lane only = std::move(m_tree.m_lanes.back());
        m_tree.m_lanes.pop_back();
        lane.children.clear();
        lane.value = only.label;
        lane.sources = only.sources;
        lane.summary = only.summary;
        lane.rowCount = only.rowCount;
        setLaneOf(index);
    } else {
        lane.summary = m_tree.m_lanes[lane.children.front()].summary;
    }
    return index;
}

void LaneTreeBuilder::addTrackLanes(uint32_t parent, const Member& member, std::vector<TrackId> tracks)
{
    const Report& r = report(member.report);
    const ReportLod& lod = *m_lods[member.report.value];
    const auto keyOf = [&](TrackId id) { return laneKeyOf(r.track(id)); };
    std::ranges::stable_sort(tracks, {}, keyOf);
    for (size_t begin = 0, end = 0; begin < tracks.size(); begin = end) {
        while (end < tracks.size() && keyOf(tracks[end]) == keyOf(tracks[begin]))
            ++end;
        const Track& first = r.track(tracks[begin]);
        std::string label =
            end - begin > 1 ? trackKindLabel(first.key.kind) : trackLabel(r, lod, tracks[begin]);
        const bool hasTwin = std::ranges::any_of(tracks, [&](TrackId id) {
            const TrackKey& key = r.track(id).key;
            return key.kind == first.key.kind && key.kind != TrackKind::nvtx && key.lane == first.key.lane &&
                   key.context != first.key.context;
        });
        if (hasTwin) label += " \u00B7 context " + std::to_string(first.key.context);
        const std::string keyPart = trackKindLabel(first.key.kind) + " " + std::to_string(first.key.lane) +
                                    " " + std::string(r.strings.at(first.name));
        const uint32_t index = add(LaneKind::track, parent, keyPart, label);
        setTracks(
            index, member.report,
            {tracks.begin() + static_cast<ptrdiff_t>(begin), tracks.begin() + static_cast<ptrdiff_t>(end)});
    }
}

void LaneTreeBuilder::setTracks(uint32_t index, ReportId id, const std::vector<TrackId>& tracks)
{
    const Report& r = report(id);
    Lane& lane = m_tree.m_lanes[index];
    lane.rowCount = 0;
    int64_t busy = 0;
    for (const TrackId track : tracks) {
        lane.sources.push_back({RowSource::Kind::track, id, track, 0, {}});
        lane.rowCount += r.track(track).depthCount;
        busy += busyTime(r, *m_lods[id.value], track);
    }
    lane.summary = {lane.sources.front()};
    if (r.track(tracks.front()).key.kind == TrackKind::gpuStream) {
        lane.value = percentText(busy, spanOf(r).length().ns);
    }
    setLaneOf(index);
}

void LaneTreeBuilder::setLaneOf(uint32_t index)
{
    for (const RowSource& source : m_tree.m_lanes[index].sources) {
        m_tree.m_laneOfTrack[source.report.value][source.track.value] = index;
    }
}

void LaneTreeBuilder::addCounters(uint32_t parent, const Member& member, DeviceId device)
{
    const Report& r = report(member.report);
    const CounterLod& lod = m_lods[member.report.value]->counters();
    for (const CounterTrackId id : member.counters) {
        const CounterTrack& counter = r.counterTracks[id.value];
        if (counter.device != device) continue;
        const std::string name(r.strings.at(counter.name));
        Lane& lane =
            m_tree
                .m_lanes[add(LaneKind::counter, parent, "counter " + name, name.empty() ? "counter" : name)];
        lane.sources = lane.summary = {{RowSource::Kind::counter, member.report, {}, 0, id}};
        lane.value = counterValueText(lod.largest(id), r.strings.at(counter.unit));
    }
}

void LaneTreeBuilder::summarizeProcess(uint32_t process)
{
    Lane& lane = m_tree.m_lanes[process];
    for (const uint32_t child : lane.children) {
        const Lane& c = m_tree.m_lanes[child];
        if (c.kind != LaneKind::gpu) continue;
        lane.summary.insert(lane.summary.end(), c.summary.begin(), c.summary.end());
        if (lane.value.empty()) lane.value = c.value;
    }
    if (lane.summary.size() > 1) lane.value = std::to_string(lane.summary.size()) + " GPUs";
    for (const uint32_t child : lane.children) {
        const Lane& c = m_tree.m_lanes[child];
        if (lane.summary.empty() && c.kind != LaneKind::counter) lane.summary = c.summary;
    }
}

void LaneTreeBuilder::chooseCollapsed(size_t members)
{
    for (Lane& lane : m_tree.m_lanes) {
        if (lane.kind == LaneKind::process) lane.startsCollapsed = members > kGpusOnlyMembers;
        if (lane.kind == LaneKind::thread && members > kExpandedMembers) lane.startsCollapsed = true;
        // Long tails of counters stay folded with their GPU's streams until asked for.
        if (lane.kind == LaneKind::gpu && lane.sources.empty())
            lane.startsCollapsed = lane.children.size() > 3;
        if (lane.kind == LaneKind::group) {
            for (const uint32_t child : lane.children) {
                const auto& summary = m_tree.m_lanes[child].summary;
                lane.summary.insert(lane.summary.end(), summary.begin(), summary.end());
            }
        }
    }
}

} // namespace lockstep
