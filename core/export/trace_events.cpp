// SPDX-License-Identifier: Apache-2.0
#include "core/export/trace_events.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/trace/collective_op.h"

namespace lockstep {

namespace {

constexpr uint32_t kNoCall = 0; // correlation IDs are one-based

// Returns PyTorch's category; empty if it has none.
std::string_view traceCategory(RowKind kind)
{
    switch (kind) {
    case RowKind::kernel:
        return "kernel";
    case RowKind::memcpy:
        return "gpu_memcpy";
    case RowKind::memset:
        return "gpu_memset";
    case RowKind::synchronization:
        return "cuda_sync";
    case RowKind::cudaEvent:
        return "cuda_event";
    case RowKind::gpuAnnotation:
        return "gpu_user_annotation";
    case RowKind::runtimeApi:
        return "cuda_runtime";
    case RowKind::driverApi:
        return "cuda_driver";
    case RowKind::op:
        return "cpu_op";
    case RowKind::nvtxPushPop:
    case RowKind::nvtxStartEnd:
    case RowKind::userAnnotation:
        return "user_annotation";
    case RowKind::python:
        return "python_function";
    case RowKind::overhead:
        return "overhead";
    default:
        return rowKindName(kind);
    }
}

std::string_view copyDirection(CopyKind kind)
{
    static constexpr std::array<std::string_view, 15> kWords{"Unknown", "HtoD", "DtoH", "HtoA", "AtoH",
                                                             "AtoA",    "AtoD", "DtoA", "DtoD", "HtoH",
                                                             "PtoP",    "HtoD", "DtoH", "DtoD", "Memset"};
    return kWords[static_cast<size_t>(kind)];
}

// Returns PyTorch's name of a copy: "Memcpy HtoD (Pinned -> Device)".
std::string copyName(const MemoryOp& op)
{
    if (op.kind == CopyKind::memset) return "Memset (" + std::string(memoryKindName(op.destination)) + ")";
    return "Memcpy " + std::string(copyDirection(op.kind)) + " (" + std::string(memoryKindName(op.source)) +
           " -> " + std::string(memoryKindName(op.destination)) + ")";
}

std::string_view laneKindName(TrackKind kind)
{
    static constexpr std::array<std::string_view, static_cast<size_t>(TrackKind::count)> kWords{
        "",
        "graphs",
        "synchronization",
        "annotations",
        "NVTX",
        "CUDA API",
        "ops",
        "Python",
        "OS runtime",
        "scheduling",
        "library API",
        "overhead",
        "memory events",
        "diagnostics",
        "other",
        "graph events",
        "samples"};
    return kWords[static_cast<size_t>(kind)];
}

class TraceWalk {
  public:
    TraceWalk(const Scene& scene, TraceEventSink& sink, const Progress& progress)
        : m_scene(scene), m_sink(sink), m_progress(progress)
    {
    }

    Status run()
    {
        for (const ReportKey key : m_scene.shown.keys())
            LOCKSTEP_TRY(walkReport(key));
        return {};
    }

  private:
    struct Arrow {
        SliceId slice;
        TraceArrow arrow;
    };

    int64_t aligned(int64_t trace_ns) const { return m_map->alignedFromTrace(TraceTime{trace_ns}).ns; }
    // Returns the pid of a process, or the pid that represents the machine.
    int64_t pidOf(ProcessId process) const
    {
        return m_firstPid +
               (process.isValid() ? int64_t(process.value) : int64_t(m_report->processes.size()));
    }
    TraceLane laneOf(TrackId id) const;
    std::string laneName(const Track& track) const;
    Status walkReport(ReportKey key);
    void writeNames(ReportKey key);
    void gatherLinks();
    void writeSlice(const Track& track, SliceId slice);
    void addArguments(const Track& track, SliceId slice, const MemoryOp* op);
    void addCollective(const CollectiveOp& op);
    Status writeCounters();

    const Scene& m_scene;
    TraceEventSink& m_sink;
    const Progress& m_progress;

    const Report* m_report = nullptr;
    const ClockMap* m_map = nullptr;
    int64_t m_firstPid = 1; // first pid of the report's processes
    uint64_t m_arrows = 0;
    std::vector<Arrow> m_ends;     // both ends of each link, by slice
    size_t m_nextEnd = 0;          // slices are walked in ascending order
    size_t m_nextCollective = 0;   // position in the collectives
    std::vector<uint32_t> m_calls; // correlation number by slice; a call and its GPU work share one number
    TraceSlice m_slice;
};

// Returns the lane of a track. Threads keep their own IDs; the IDs of other tracks come after them.
TraceLane TraceWalk::laneOf(TrackId id) const
{
    const Track& track = m_report->track(id);
    TraceLane lane{pidOf(track.key.process), int64_t(1) << 40 | int64_t(id.value), false, laneName(track)};
    if (track.key.thread.isValid()) {
        lane.tid = m_report->threads[track.key.thread.value].tid;
        lane.hasThread = true;
    } else if (track.key.device.isValid()) {
        lane.tid = track.key.lane;
    }
    return lane;
}

std::string TraceWalk::laneName(const Track& track) const
{
    std::string name;
    const auto add = [&](std::string_view word) {
        if (!word.empty()) name += (name.empty() ? "" : " ") + std::string(word);
    };
    if (track.key.device.isValid()) {
        add("GPU " + std::to_string(m_report->devices[track.key.device.value].ordinal));
        if (track.key.lane >= 0) add("stream " + std::to_string(track.key.lane));
    }
    add(laneKindName(track.key.kind));
    if (track.name.isValid()) add(m_report->strings.at(track.name));
    return name;
}

// Links calls and their GPU work by a number; if one call has several operations, they share its number.
void TraceWalk::gatherLinks()
{
    m_calls.assign(m_report->slices.size(), kNoCall);
    m_ends.clear();
    m_nextEnd = m_nextCollective = 0;
    uint32_t calls = 0;
    for (const Link& link : m_report->links.all()) {
        ++m_arrows;
        m_ends.push_back({link.cause, {m_arrows, link.kind, false}});
        m_ends.push_back({link.effect, {m_arrows, link.kind, true}});
        if (link.kind != LinkKind::launch) continue;
        uint32_t& call = m_calls[link.cause.value];
        if (call == kNoCall) call = ++calls;
        m_calls[link.effect.value] = call;
    }
    std::ranges::stable_sort(m_ends, {}, [](const Arrow& end) { return end.slice.value; });
}

void TraceWalk::writeNames(ReportKey key)
{
    for (size_t i = 0; i < m_report->processes.size(); ++i) {
        const Process& process = m_report->processes[i];
        const Identity& identity = m_scene.shown.identity(key, ProcessId(i));
        std::string text(m_report->strings.at(process.name));
        if (identity.role.value) text += (text.empty() ? "" : " ") + *identity.role.value;
        if (identity.rank.value) text += " rank " + std::to_string(*identity.rank.value);
        if (identity.host.value) text += " on " + *identity.host.value;
        m_sink.process(pidOf(ProcessId(i)), text + " (pid " + std::to_string(process.pid) + ")");
    }
    const bool hasMachine =
        std::ranges::any_of(m_report->tracks, [](const Track& t) { return !t.key.process.isValid(); }) ||
        std::ranges::any_of(m_report->counterTracks, [](const auto& t) { return !t.process.isValid(); });
    if (hasMachine) m_sink.process(pidOf({}), "machine");
    for (const Thread& thread : m_report->threads)
        m_sink.thread(pidOf(thread.process), thread.tid, m_report->strings.at(thread.name));
}

void TraceWalk::addArguments(const Track& track, SliceId slice, const MemoryOp* op)
{
    std::vector<TraceArgument>& out = m_slice.arguments;
    if (track.key.device.isValid()) {
        out.emplace_back("device", int64_t(m_report->devices[track.key.device.value].ordinal));
        out.emplace_back("context", track.key.context);
        out.emplace_back("stream", track.key.lane);
    }
    if (m_calls[slice.value] != kNoCall) out.emplace_back("correlation", int64_t(m_calls[slice.value]));
    if (op != nullptr) out.emplace_back("bytes", static_cast<int64_t>(op->size_bytes));
    if (track.key.kind == TrackKind::nvtx && track.name.isValid())
        out.emplace_back("domain", m_report->strings.at(track.name));
}

// Adds a collective's arguments under PyTorch's names; arguments that were not recorded are omitted.
void TraceWalk::addCollective(const CollectiveOp& op)
{
    const auto text = [&](std::string_view key, StringId value) {
        if (value.isValid()) m_slice.arguments.emplace_back(key, m_report->strings.at(value));
    };
    const auto number = [&](std::string_view key, uint64_t value, uint64_t absent) {
        if (value != absent) m_slice.arguments.emplace_back(key, static_cast<int64_t>(value));
    };
    text("Collective name", op.collective);
    text("Process Group Name", op.group);
    text("Process Group Ranks", op.groupRanks);
    text("dtype", op.dataType);
    number("In msg nelems", op.inElements, CollectiveOp::kAbsentCount);
    number("Out msg nelems", op.outElements, CollectiveOp::kAbsentCount);
    number("Group size", op.groupSize, CollectiveOp::kAbsent);
    number("Global rank start", op.rankStart, CollectiveOp::kAbsent);
    number("Global rank stride", op.rankStride, CollectiveOp::kAbsent);
    number("Rank", op.rankInGroup, CollectiveOp::kAbsent);
    number("Seq", op.sequence, CollectiveOp::kAbsentCount);
    number("Comms Id", op.commsId, CollectiveOp::kAbsentCount);
    if (op.isPointToPoint) {
        number("Src Rank", op.peer, CollectiveOp::kAbsent);
        number("Dst Rank", op.peer, CollectiveOp::kAbsent);
    }
}

void TraceWalk::writeSlice(const Track& track, SliceId slice)
{
    const SliceTable& slices = m_report->slices;
    const RowKind kind = slices.kind[slice.value];
    const MemoryOp* const op =
        kind == RowKind::memcpy || kind == RowKind::memset ? m_report->memoryOpOf(slice) : nullptr;
    const std::string copy = op != nullptr ? copyName(*op) : std::string();
    m_slice.category = traceCategory(kind);
    m_slice.name = op != nullptr ? std::string_view(copy) : m_report->nameOf(slice);
    m_slice.isInstant = slices.isInstant(slice);
    m_slice.start_ns = aligned(slices.start_ns[slice.value]);
    m_slice.end_ns = std::max(m_slice.start_ns, aligned(slices.end(slice).ns));
    m_slice.arguments.clear();
    m_slice.arrows.clear();
    addArguments(track, slice, op);
    for (; m_nextCollective < m_report->collectives.size() &&
           m_report->collectives[m_nextCollective].slice.value <= slice.value;
         ++m_nextCollective) {
        if (m_report->collectives[m_nextCollective].slice == slice)
            addCollective(m_report->collectives[m_nextCollective]);
    }
    for (; m_nextEnd < m_ends.size() && m_ends[m_nextEnd].slice == slice; ++m_nextEnd)
        m_slice.arrows.push_back(m_ends[m_nextEnd].arrow);
    m_sink.slice(m_slice);
}

Status TraceWalk::writeCounters()
{
    for (const CounterTrack& track : m_report->counterTracks) {
        std::string name(m_report->strings.at(track.name));
        if (track.device.isValid())
            name += " GPU " + std::to_string(m_report->devices[track.device.value].ordinal);
        LOCKSTEP_TRY(m_progress.check());
        m_sink.counter(pidOf(track.process), name, m_report->strings.at(track.unit));
        for (uint32_t i = 0; i < track.sampleCount; ++i) {
            const double value = m_report->counters.value[track.firstSample + i];
            if (std::isfinite(value))
                m_sink.sample(aligned(m_report->counters.time_ns[track.firstSample + i]), value);
        }
    }
    return {};
}

Status TraceWalk::walkReport(ReportKey key)
{
    m_report = &m_scene.shown.report(key);
    m_map = &m_scene.alignment.map(key);
    gatherLinks();
    writeNames(key);
    for (size_t i = 0; i < m_report->tracks.size(); ++i) {
        const Track& track = m_report->tracks[i];
        LOCKSTEP_TRY(m_progress.check());
        m_sink.lane(laneOf(TrackId(i)));
        for (uint32_t row = 0; row < track.sliceCount; ++row) {
            if ((row & 0xFFFF) == 0xFFFF) LOCKSTEP_TRY(m_progress.check());
            writeSlice(track, SliceId(track.firstSlice.value + row));
        }
    }
    LOCKSTEP_TRY(writeCounters());
    m_firstPid += static_cast<int64_t>(m_report->processes.size()) + 1;
    return {};
}

} // namespace

Status emitTraceEvents(const Scene& scene, TraceEventSink& sink, const Progress& progress)
{
    return TraceWalk(scene, sink, progress).run();
}

} // namespace lockstep
