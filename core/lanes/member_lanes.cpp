// The lanes of one process: what they are made of, its GPUs and threads. Part of LaneTreeBuilder.
#include <algorithm>
#include <tuple>

#include "core/base/text.h"
#include "core/lanes/lane_label.h"
#include "core/lanes/lane_shelves.h"
#include "core/lanes/lane_tree_builder.h"

namespace lockstep {

namespace {

constexpr size_t kExpandedProcesses = 4;  // up to here processes start expanded
constexpr size_t kGpusOnlyProcesses = 16; // up to here their GPUs do, with the threads folded; above, nothing
constexpr size_t kExpandedThreads = 2;    // of each process, those that work with the GPU

bool drivesGpu(TrackKind kind)
{
    return kind == TrackKind::nvtx || kind == TrackKind::cudaApi || kind == TrackKind::ops;
}

// A thread in any report of its process. Names stand for numbers that are no thread ids; `nth` parts threads
// of one report that are called alike.
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

// What tells a process apart whatever else is open. Where nothing does, its file does.
std::string processKey(const Workspace& workspace, const ShownProcess& shown)
{
    const Identity& identity = shown.identity;
    std::string key = shown.isProcess ? "process" : "system";
    const auto say = [&](const char* word, const auto& part, const auto& text) {
        if (part.isKnown()) key += " " + std::string(word) + "=" + text(*part.value);
    };
    const auto asIs = [](const std::string& word) { return word; };
    const auto number = [](auto value) { return std::to_string(value); };
    say("run", identity.run, asIs);
    say("host", identity.host, asIs);
    say("role", identity.role, asIs);
    say("replica", identity.replica, number);
    say("replica_rank", identity.replicaRank, number);
    say("rank", identity.rank, number);
    if (shown.isProcess) say("pid", identity.pid, number);
    const bool isTold = identity.rank.isKnown() || identity.replica.isKnown() || identity.pid.isKnown();
    if (!isTold) key += " file=" + workspace.report(shown.members.front().report).provenance.path.string();
    return key;
}

// Gives each thread and GPU of a report its place among those that are called alike.
template<class Key, class Id>
class AlikeCounter {
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

LaneTreeBuilder::Parts LaneTreeBuilder::partsOf(const ShownProcess& shown) const
{
    Parts parts;
    std::map<std::pair<int, int>, Gpu> gpus; // by ordinal, place among equal ordinals
    std::map<ThreadKey, CpuThread> threads;
    for (const ShownMember& member : shown.members) {
        const Report& r = report(member.report);
        AlikeCounter<int, DeviceId> alikeGpus;
        AlikeCounter<ThreadKey, ThreadId> alikeThreads;
        const auto gpuOf = [&](DeviceId device) -> Gpu& {
            const int ordinal = r.devices[device.value].ordinal;
            const int nth = alikeGpus.nthOf(ordinal, device);
            Gpu& gpu = gpus[{ordinal, nth}];
            gpu.ordinal = ordinal;
            gpu.nth = nth;
            const std::pair entry(member.report, device);
            if (std::ranges::find(gpu.devices, entry) == gpu.devices.end()) gpu.devices.push_back(entry);
            return gpu;
        };
        for (const TrackId id : member.tracks) {
            const TrackKey& key = r.track(id).key;
            const TrackRef ref{member.report, id};
            if (key.device.isValid()) {
                gpuOf(key.device).tracks.push_back(ref);
            } else if (key.thread.isValid()) {
                ThreadKey threadKey = keyOf(r, key.thread);
                threadKey.nth = alikeThreads.nthOf(threadKey, key.thread);
                CpuThread& thread = threads[threadKey];
                thread.tid = r.threads[key.thread.value].tid;
                thread.key = threadKey.text();
                thread.isMain =
                    member.process.isValid() && r.processes[member.process.value].pid == thread.tid;
                const std::pair entry(member.report, key.thread);
                if (thread.threads.empty() || thread.threads.back() != entry) thread.threads.push_back(entry);
                thread.tracks.push_back(ref);
            } else {
                parts.rest.push_back(ref);
            }
        }
        for (const CounterTrackId id : member.counters) {
            const DeviceId device = r.counterTracks[id.value].device;
            (device.isValid() ? gpuOf(device).counters : parts.counters).push_back({member.report, id});
        }
    }
    for (auto& [key, gpu] : gpus)
        parts.gpus.push_back(std::move(gpu));
    for (auto& [key, thread] : threads)
        parts.threads.push_back(std::move(thread));
    return parts;
}

void LaneTreeBuilder::addProcess(const ShownProcess& shown, const std::string& label)
{
    const uint32_t index = add(LaneSubject::process, groupFor(shown), processKey(m_workspace, shown), label);
    m_tree.m_lanes[index].report = shown.members.front().report;
    Lane& process = m_tree.m_lanes[index];
    process.role = shown.identity.role.value.value_or("");
    process.host = shown.identity.host.value.value_or("");
    process.rank = shown.identity.rank.value;
    process.rankCount = shown.isProcess ? 1 : 0;
    for (const ShownMember& member : shown.members)
        process.members.emplace_back(member.report, member.process);
    markUnplaced(index, shown);
    addDataLoss(index, shown);
    Parts parts = partsOf(shown);
    for (const Gpu& gpu : parts.gpus)
        addGpu(index, shown, gpu);
    const auto isBusyWithGpu = [&](const CpuThread& thread) {
        return std::ranges::any_of(thread.tracks,
                                   [&](TrackRef ref) { return drivesGpu(track(ref).key.kind); });
    };
    std::ranges::stable_sort(parts.threads, {}, [&](const CpuThread& thread) {
        return std::tuple(!thread.isMain, !isBusyWithGpu(thread), thread.tid);
    });
    size_t expanded = 0;
    for (const CpuThread& thread : parts.threads)
        addThread(index, thread, !isBusyWithGpu(thread) || ++expanded > kExpandedThreads);
    addTrackLanes(index, parts.rest);
    addCounters(index, parts.counters);
    summarizeProcess(index);
}

void LaneTreeBuilder::markUnplaced(uint32_t process, const ShownProcess& shown)
{
    std::string note;
    for (const ShownMember& member : shown.members) {
        const ClockMap& map = m_alignment.map(member.report);
        if (map.isPlaced()) continue;
        if (!note.empty()) note += "\n";
        if (shown.members.size() > 1)
            note += report(member.report).provenance.path.filename().string() + ": ";
        note += map.reason;
    }
    if (note.empty()) return;
    Lane& lane = m_tree.m_lanes[process];
    lane.label += kNotPlacedMark;
    lane.isPlaced = false;
    lane.note = note;
}

void LaneTreeBuilder::addDataLoss(uint32_t process, const ShownProcess& shown)
{
    std::string lost;
    size_t files = 0;
    for (const ShownMember& member : shown.members) {
        std::string ofReport;
        for (const ImportNote& note : report(member.report).notes.all()) {
            if (note.severity != NoteSeverity::dataLoss) continue;
            ofReport += (ofReport.empty() ? "" : "; ") + note.text + " (" + std::to_string(note.count) + ")";
        }
        if (ofReport.empty() || !m_shownLoss.insert(member.report).second) continue;
        ++files;
        if (!lost.empty()) lost += "\n";
        if (shown.members.size() > 1)
            lost += report(member.report).provenance.path.filename().string() + ": ";
        lost += ofReport;
    }
    if (lost.empty()) return;
    std::string label = "data is missing";
    if (shown.members.size() > 1)
        label += " in " + std::to_string(files) + " of " + std::to_string(shown.members.size()) + " files";
    Lane& lane = m_tree.m_lanes[add(LaneSubject::dataLoss, process, "data loss", label)];
    lane.note = lost;
}

void LaneTreeBuilder::addGpu(uint32_t process, const ShownProcess& shown, const Gpu& gpu)
{
    const auto named = std::ranges::find_if(gpu.devices, [&](const auto& entry) {
        const Report& r = report(entry.first);
        return !r.strings.at(r.devices[entry.second.value].name).empty();
    });
    const auto& [namedReport, device] = named != gpu.devices.end() ? *named : gpu.devices.front();
    const uint32_t index =
        add(LaneSubject::gpu, process,
            "gpu " + std::to_string(gpu.ordinal) + (gpu.nth > 0 ? "." + std::to_string(gpu.nth) : ""),
            gpuLabel(report(namedReport), device));
    std::vector<RowSource> sources;
    std::vector<LaneBlock> blocks;
    int64_t busy_ns = 0, span_ns = 0;
    for (const auto& entry : gpu.devices) {
        const ReportKey id = entry.first;
        const auto rows = lod(id).busyRows();
        for (uint32_t i = 0; i < rows.size(); ++i) {
            const bool isOfMember = std::ranges::any_of(shown.members, [&](const ShownMember& member) {
                return member.report == id && member.process == rows[i].process();
            });
            if (!isOfMember || rows[i].device() != entry.second) continue;
            const LodRow row = rows[i].row(report(id), lod(id).slices());
            RowSource source{.kind = RowSource::Kind::busy, .report = id, .busyRow = i};
            if (row.count() > 0) source.extent = {{row.start(0)}, {row.end(row.count() - 1)}};
            blocks.push_back({alignedExtent(source), 1, 0});
            sources.push_back(source);
            busy_ns += row.totalBusy_ns();
            // Not of the session: a capture range may be a small part of it.
            span_ns += report(id).extent.length().ns;
        }
    }
    if (!sources.empty()) {
        Lane& lane = m_tree.m_lanes[index];
        lane.summary = sources;
        lane.rowCount = shelveBlocks(blocks);
        for (size_t i = 0; i < sources.size(); ++i)
            sources[i].row = blocks[i].row;
        std::ranges::stable_sort(sources, {}, &RowSource::row);
        lane.sources = std::move(sources);
        lane.label += " busy";
        lane.busy_ns = busy_ns;
        lane.span_ns = span_ns;
        lane.value = percentText(busy_ns, span_ns);
    }
    addTrackLanes(index, gpu.tracks);
    addCounters(index, gpu.counters);
    if (m_tree.m_lanes[index].summary.empty()) uniteChildren(index);
}

void LaneTreeBuilder::addThread(uint32_t process, const CpuThread& thread, bool startsCollapsed)
{
    std::string label;
    for (const auto& [id, of] : thread.threads) {
        // The longest says most: one tool knows a thread's name, another its number only.
        const std::string word = threadLabel(report(id), of);
        if (word.size() > label.size()) label = word;
    }
    const uint32_t index = add(LaneSubject::thread, process, "thread " + thread.key, label);
    m_tree.m_lanes[index].startsCollapsed = startsCollapsed;
    addTrackLanes(index, thread.tracks);
    Lane& lane = m_tree.m_lanes[index];
    if (lane.children.size() == 1) {
        // A thread that does one thing is one lane.
        Lane only = std::move(m_tree.m_lanes.back());
        m_tree.m_lanes.pop_back();
        m_tree.m_byKey.erase(only.key);
        lane.children.clear();
        lane.value = only.label;
        lane.sources = std::move(only.sources);
        lane.summary = std::move(only.summary);
        lane.isSummaryOfOne = only.isSummaryOfOne;
        lane.rowCount = only.rowCount;
        setLaneOf(index);
    } else {
        uniteChildren(index);
    }
}

// Collapsed, the lane is as busy as all below it together.
void LaneTreeBuilder::uniteChildren(uint32_t index)
{
    Lane& lane = m_tree.m_lanes[index];
    size_t contributors = 0;
    for (const uint32_t child : lane.children) {
        const Lane& c = m_tree.m_lanes[child];
        if (c.subject == LaneSubject::counter || c.summary.empty()) continue;
        lane.isSummaryOfOne = ++contributors == 1 && c.isSummaryOfOne;
        for (RowSource source : c.summary) {
            source.row = 0;
            lane.summary.push_back(source);
        }
    }
}

void LaneTreeBuilder::summarizeProcess(uint32_t process)
{
    Lane& lane = m_tree.m_lanes[process];
    uint32_t gpus = 0;
    for (const uint32_t child : lane.children) {
        const Lane& c = m_tree.m_lanes[child];
        if (c.subject != LaneSubject::gpu || c.summary.empty()) continue;
        for (RowSource source : c.summary) {
            source.row = gpus;
            lane.summary.push_back(source);
        }
        ++gpus;
        lane.busy_ns += c.busy_ns;
        lane.span_ns += c.span_ns;
        if (lane.value.empty()) lane.value = c.value;
    }
    if (gpus > 1) lane.value = std::to_string(gpus) + " GPUs";
    if (lane.summary.empty()) uniteChildren(process);
    if (!lane.summary.empty()) return;
    const auto counters = std::ranges::count_if(
        lane.children, [&](uint32_t child) { return m_tree.m_lanes[child].subject == LaneSubject::counter; });
    if (counters > 0) lane.value = std::to_string(counters) + (counters == 1 ? " counter" : " counters");
}

void LaneTreeBuilder::describeMap(Lane& lane) const
{
    lane.startsCollapsed = true;
    lane.value = groupedText(lane.rankCount) + " ranks";
    const auto isHost = [&](uint32_t child) { return m_tree.m_lanes[child].subject == LaneSubject::group; };
    const auto hosts = std::ranges::count_if(lane.children, isHost);
    if (m_groupsHosts && hosts > 1) lane.value += " \u00B7 " + groupedText(hosts) + " hosts";
}

void LaneTreeBuilder::chooseCollapsed(size_t processes)
{
    for (Lane& lane : m_tree.m_lanes) {
        if (lane.subject == LaneSubject::process) lane.startsCollapsed = processes > kGpusOnlyProcesses;
        if (lane.subject == LaneSubject::thread && processes > kExpandedProcesses)
            lane.startsCollapsed = true;
        // Long tails of counters stay folded with their GPU's streams until asked for.
        if (lane.subject == LaneSubject::gpu && lane.sources.empty())
            lane.startsCollapsed = lane.children.size() > 3;
    }
    // Children stand behind their parents: a group of groups takes what its groups have taken.
    for (size_t i = m_tree.m_lanes.size(); i-- > 0;) {
        Lane& lane = m_tree.m_lanes[i];
        if (lane.parent != kNoLane) m_tree.m_lanes[lane.parent].rankCount += lane.rankCount;
        if (lane.subject != LaneSubject::group) continue;
        if (lane.isRankMap()) describeMap(lane);
        uint32_t row = 0;
        for (const uint32_t child : lane.children) {
            const uint32_t first = row;
            for (RowSource source : m_tree.m_lanes[child].summary) {
                source.row += first;
                row = std::max(row, source.row + 1);
                lane.summary.push_back(source);
            }
        }
    }
}

} // namespace lockstep
