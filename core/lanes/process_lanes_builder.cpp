// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/process_lanes_builder.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "core/lanes/lane_label.h"
#include "core/lanes/lane_packing.h"
#include "core/lanes/loss_lanes.h"
#include "core/lanes/phase_lanes.h"
#include "core/lanes/sample_lanes.h"

namespace lockstep {

namespace {

// Lanes with data of their own, which are placed above the lanes of the process's tracks, in this order.
constexpr std::array kOwnLanes{&addLossLanes, &addPhaseLane, &addSampleLanes};

// per process: up to this many threads that launch GPU work start expanded
constexpr size_t kExpandedThreads = 2;

bool drivesGpu(TrackKind kind)
{
    return kind == TrackKind::nvtx || kind == TrackKind::cudaApi || kind == TrackKind::ops;
}

// A thread in any report of its process. The name is used if the number is not a thread ID. `nth`
// distinguishes threads with the same name in one report.
struct ThreadKey {
    int64_t tid = 0;
    std::string name;
    int nth = 0;

    friend auto operator<=>(const ThreadKey&, const ThreadKey&) = default;

    std::string text() const
    {
        return (name.empty() ? std::to_string(tid) : name) + (nth > 0 ? "." + std::to_string(nth) : "");
    }
};

ThreadKey keyOf(const Report& report, ThreadId id)
{
    const Thread& thread = report.threads[id.value];
    if (thread.tid >= 0) return {thread.tid, {}, 0};
    return {-1, std::string(report.strings.at(thread.name)), 0};
}

// Assigns an index to each thread or GPU of a report among those with the same name.
template<class Key, class Id>
class OccurrenceIndex {
  public:
    int nthOf(const Key& key, Id id)
    {
        std::vector<Id>& ids = m_ids[key];
        const auto found = std::ranges::find(ids, id);
        if (found != ids.end()) return static_cast<int>(found - ids.begin());
        ids.push_back(id);
        return static_cast<int>(ids.size()) - 1;
    }

  private:
    std::map<Key, std::vector<Id>> m_ids;
};

} // namespace

ProcessLanesBuilder::ProcessLanesBuilder(ProcessLaneSource source)
    : m_out(std::make_shared<ProcessLanes>(std::move(source)))
{
    for (const Member& member : members())
        m_memberOf.emplace(member.key, &member);
}

std::shared_ptr<const ProcessLanes> ProcessLanesBuilder::build()
{
    addProcess();
    return std::move(m_out);
}

uint32_t ProcessLanesBuilder::add(LaneSubject subject, uint32_t parent, std::string_view keyPart,
                                  std::string label)
{
    Lane lane;
    lane.subject = subject;
    lane.label = std::move(label);
    const std::string key =
        parent == kNoLane ? std::string(keyPart) : at(parent).key + "/" + std::string(keyPart);
    const auto index = static_cast<uint32_t>(m_out->m_lanes.size());
    lane.key = key;
    for (int n = 2; !m_out->m_byKey.emplace(lane.key, index).second; ++n)
        lane.key = key + "#" + std::to_string(n);
    if (parent != kNoLane) {
        lane.role = at(parent).role;
        lane.report = at(parent).report;
        at(parent).hasChildren = true;
        m_out->m_children[parent].push_back(index);
    }
    m_out->m_levels.push_back(parent == kNoLane ? 0 : static_cast<uint16_t>(m_out->m_levels[parent] + 1));
    m_out->m_parents.push_back(parent);
    m_out->m_children.emplace_back();
    m_out->m_lanes.push_back(std::move(lane));
    return index;
}

Lane ProcessLanesBuilder::takeLast()
{
    Lane last = std::move(m_out->m_lanes.back());
    const uint32_t parent = m_out->m_parents.back();
    m_out->m_lanes.pop_back();
    m_out->m_parents.pop_back();
    m_out->m_levels.pop_back();
    m_out->m_children.pop_back();
    m_out->m_children[parent].pop_back();
    at(parent).hasChildren = !childrenOf(parent).empty();
    m_out->m_byKey.erase(last.key);
    return last;
}

ProcessLanesBuilder::Parts ProcessLanesBuilder::partsOf() const
{
    Parts parts;
    std::map<std::pair<int, int>, Gpu> gpus; // by (ordinal, index among GPUs with the same ordinal)
    std::map<ThreadKey, CpuThread> threads;
    for (const Member& member : members()) {
        const Report& r = *member.report;
        const Member* const ofReport = m_memberOf.at(member.key);
        OccurrenceIndex<int, DeviceId> gpusWithOrdinal;
        OccurrenceIndex<ThreadKey, ThreadId> threadsWithKey;
        const auto gpuOf = [&](DeviceId device) -> Gpu& {
            const int ordinal = r.devices[device.value].ordinal;
            const int nth = gpusWithOrdinal.nthOf(ordinal, device);
            Gpu& gpu = gpus[{ordinal, nth}];
            gpu.ordinal = ordinal;
            gpu.nth = nth;
            const std::pair entry(ofReport, device);
            if (std::ranges::find(gpu.devices, entry) == gpu.devices.end()) gpu.devices.push_back(entry);
            return gpu;
        };
        const ProcessRows* const rows = member.lod->rowsOf(member.process);
        if (rows == nullptr) continue;
        for (const TrackId id : rows->tracks) {
            const TrackKey& key = r.track(id).key;
            const MemberTrack track{&member, id};
            if (key.device.isValid()) {
                gpuOf(key.device).tracks.push_back(track);
            } else if (key.thread.isValid()) {
                ThreadKey threadKey = keyOf(r, key.thread);
                threadKey.nth = threadsWithKey.nthOf(threadKey, key.thread);
                CpuThread& thread = threads[threadKey];
                thread.tid = r.threads[key.thread.value].tid;
                thread.key = threadKey.text();
                thread.isMain =
                    member.process.isValid() && r.processes[member.process.value].pid == thread.tid;
                const std::pair entry(ofReport, key.thread);
                if (thread.threads.empty() || thread.threads.back() != entry) thread.threads.push_back(entry);
                thread.tracks.push_back(track);
            } else {
                parts.rest.push_back(track);
            }
        }
        for (const uint32_t device : rows->memory) {
            const DeviceId id =
                deviceOfSubject(r, r.memory->subjectOf(member.lod->memory()->replay.devices[device].device));
            (id.isValid() ? gpuOf(id).memory : parts.memory).push_back({&member, device});
        }
        for (const CounterTrackId id : rows->counters) {
            if (!rows->memory.empty() && isCoveredByMemory(r, r.counterTracks[id.value])) continue;
            const DeviceId device = r.counterTracks[id.value].device;
            (device.isValid() ? gpuOf(device).counters : parts.counters).push_back({&member, id});
        }
    }
    for (auto& [key, gpu] : gpus)
        parts.gpus.push_back(std::move(gpu));
    for (auto& [key, thread] : threads)
        parts.threads.push_back(std::move(thread));
    return parts;
}

void ProcessLanesBuilder::addProcess()
{
    const ProcessLaneSource& source = this->source();
    add(LaneSubject::process, kNoLane, source.key, source.label);
    Lane& process = at(0);
    process.report = members().front().key;
    process.role = source.role;
    process.rankCount = source.isProcess ? 1 : 0;
    process.startsCollapsed = source.startsCollapsed;
    ProcessLaneData data;
    data.host = source.host;
    data.rank = source.rank;
    for (const Member& member : members())
        data.members.emplace_back(member.key, member.process);
    process.data.set(std::move(data));
    markUnaligned(process);
    markEnded(process);
    for (const auto addOwnLanes : kOwnLanes)
        addOwnLanes(*this);
    Parts parts = partsOf();
    for (const Gpu& gpu : parts.gpus)
        addGpu(gpu);
    const auto isBusyWithGpu = [&](const CpuThread& thread) {
        return std::ranges::any_of(thread.tracks,
                                   [](const MemberTrack& of) { return drivesGpu(of.track().key.kind); });
    };
    std::ranges::stable_sort(parts.threads, {}, [&](const CpuThread& thread) {
        return std::tuple(!thread.isMain, !isBusyWithGpu(thread), thread.tid);
    });
    size_t expanded = 0;
    for (const CpuThread& thread : parts.threads)
        addThread(thread, !isBusyWithGpu(thread) || ++expanded > kExpandedThreads || source.foldsThreads);
    addTrackLanes(0, parts.rest);
    addOtherMemory(parts.memory);
    addCounters(0, parts.counters);
    summarizeProcess();
}

std::string ProcessLanesBuilder::memberNote(const Member& member, const std::string& text) const
{
    if (members().size() < 2) return text;
    return member.report->provenance.path.filename().string() + ": " + text;
}

void ProcessLanesBuilder::markUnaligned(Lane& process) const
{
    std::string note;
    // A history by index has no position in time relative to data with timestamps. The note of its lane
    // states this.
    const auto hasTimes = [](const Member& member) {
        const ProcessRows* const rows = member.lod->rowsOf(member.process);
        return rows != nullptr && !(rows->tracks.empty() && rows->counters.empty());
    };
    const bool anyHasTimes = std::ranges::any_of(members(), hasTimes);
    for (const Member& member : members()) {
        if (!member.map.isPlaced() && (hasTimes(member) || !anyHasTimes))
            note += (note.empty() ? "" : "\n") + memberNote(member, member.map.reason);
    }
    if (note.empty()) return;
    process.data.as<ProcessLaneData>()->isPlaced = false;
    warn(process, "clock not aligned", note);
}

// Marks a process that failed or whose recording was cut short, because the rank that ends first is often the
// cause of the failure of all others.
void ProcessLanesBuilder::markEnded(Lane& process) const
{
    for (const Member& member : members()) {
        const auto& notes = member.report->notes.all();
        const auto failure = std::ranges::find_if(notes, &ImportNote::isFailure);
        if (failure == notes.end()) continue;
        warn(process, failure->example, failure->text);
        return;
    }
    for (const Member& member : members()) {
        const auto& notes = member.report->notes.all();
        const auto cut = std::ranges::find_if(notes, &ImportNote::isAtEnd);
        if (!member.showsLoss || cut == notes.end()) continue;
        warn(process, "cut short", cut->text);
        return;
    }
}

void ProcessLanesBuilder::warn(Lane& process, std::string warning, const std::string& note) const
{
    process.label += (process.warning.empty() ? " \u00B7 " : ", ") + warning;
    process.warning += (process.warning.empty() ? "" : ", ") + std::move(warning);
    if (!note.empty()) process.note += (process.note.empty() ? "" : "\n") + note;
}

void ProcessLanesBuilder::addGpu(const Gpu& gpu)
{
    const auto named = std::ranges::find_if(gpu.devices, [&](const auto& entry) {
        const Report& r = *entry.first->report;
        return !r.strings.at(r.devices[entry.second.value].name).empty();
    });
    const auto& [of, device] = named != gpu.devices.end() ? *named : gpu.devices.front();
    const uint32_t index =
        add(LaneSubject::gpu, 0,
            "gpu " + std::to_string(gpu.ordinal) + (gpu.nth > 0 ? "." + std::to_string(gpu.nth) : ""),
            gpuLabel(*of->report, device));
    addBusyRows(index, gpu);
    addTrackLanes(index, gpu.tracks);
    addProjections(index, gpu);
    addGpuMemory(index, gpu.memory);
    addCounters(index, gpu.counters);
    if (at(index).summary.empty()) uniteChildren(index);
    // Long lists of counters stay collapsed together with the streams of the GPU.
    if (at(index).sources.empty() && gpu.memory.empty())
        at(index).startsCollapsed = childrenOf(index).size() > 3;
}

void ProcessLanesBuilder::addBusyRows(uint32_t index, const Gpu& gpu)
{
    std::vector<RowSource> sources;
    std::vector<LaneBlock> blocks;
    GpuTime time;
    for (const auto& [of, device] : gpu.devices) {
        const ReportLod& lod = *of->lod;
        const auto rows = lod.busyRows();
        for (uint32_t i = 0; i < rows.size(); ++i) {
            const bool isOfMember = std::ranges::any_of(members(), [&](const Member& member) {
                return member.key == of->key && member.process == rows[i].process();
            });
            if (!isOfMember || rows[i].device() != device) continue;
            const LodRow row = rows[i].row(*of->report, lod.slices());
            RowSource source{.kind = RowSource::Kind::busy, .report = of->key, .busyRow = i};
            if (row.count() > 0) source.extent = {{row.start(0)}, {row.end(row.count() - 1)}};
            blocks.push_back({alignedExtent(source), 1, 0, recordingOf(*of)});
            sources.push_back(source);
            // Uses the extent instead of the session, because a capture range may be a small part of the
            // session.
            time.add({row.totalBusy_ns(), of->report->extent.length().ns});
        }
    }
    if (sources.empty()) return;
    Lane& lane = at(index);
    lane.summary = sources;
    lane.rowCount = packBlocks(blocks);
    for (size_t i = 0; i < sources.size(); ++i)
        sources[i].row = blocks[i].row;
    std::ranges::stable_sort(sources, {}, &RowSource::row);
    lane.sources = std::move(sources);
    lane.label += " busy";
    lane.value = percentText(time.busy_ns, time.span_ns);
    lane.data.set(GpuLaneData{time});
}

void ProcessLanesBuilder::addThread(const CpuThread& thread, bool startsCollapsed)
{
    std::string label;
    for (const auto& [member, of] : thread.threads) {
        // The longest label is used because it is the most specific: one tool may know the name of a thread
        // while another knows only its ID.
        const std::string word = threadLabel(*member->report, of);
        if (word.size() > label.size()) label = word;
    }
    const uint32_t index = add(LaneSubject::thread, 0, "thread " + thread.key, label);
    at(index).startsCollapsed = startsCollapsed;
    addTrackLanes(index, thread.tracks);
    const auto& children = childrenOf(index);
    if (children.size() != 1 || at(children.front()).subject != LaneSubject::track)
        return uniteChildren(index);
    // A thread that has only a single activity becomes one lane.
    Lane only = takeLast();
    Lane& lane = at(index);
    lane.value = only.label;
    lane.sources = std::move(only.sources);
    lane.summary = std::move(only.summary);
    lane.isSummaryOfOne = only.isSummaryOfOne;
    lane.rowCount = only.rowCount;
    setLaneOf(index);
}

// A collapsed lane shows the union of all lanes below it.
void ProcessLanesBuilder::uniteChildren(uint32_t index)
{
    Lane& lane = at(index);
    size_t contributors = 0;
    for (const uint32_t child : childrenOf(index)) {
        const Lane& c = at(child);
        if (c.subject == LaneSubject::counter || c.summary.empty()) continue;
        lane.isSummaryOfOne = ++contributors == 1 && c.isSummaryOfOne;
        for (RowSource source : c.summary) {
            source.row = 0;
            lane.summary.push_back(source);
        }
    }
}

void ProcessLanesBuilder::summarizeProcess()
{
    Lane& lane = at(0);
    GpuTime& time = lane.data.as<ProcessLaneData>()->time;
    uint32_t gpus = 0;
    for (const uint32_t child : childrenOf(0)) {
        const Lane& c = at(child);
        if (c.subject != LaneSubject::gpu || c.summary.empty()) continue;
        for (RowSource source : c.summary) {
            source.row = gpus;
            lane.summary.push_back(source);
        }
        ++gpus;
        if (const auto* const gpu = c.data.as<GpuLaneData>()) time.add(gpu->time);
        if (lane.value.empty()) lane.value = c.value;
    }
    if (gpus > 1) lane.value = std::to_string(gpus) + " GPUs";
    if (lane.summary.empty()) uniteChildren(0);
    if (!lane.summary.empty()) return;
    const auto counters = std::ranges::count_if(
        childrenOf(0), [&](uint32_t child) { return at(child).subject == LaneSubject::counter; });
    if (counters > 0) lane.value = std::to_string(counters) + (counters == 1 ? " counter" : " counters");
}

} // namespace lockstep
