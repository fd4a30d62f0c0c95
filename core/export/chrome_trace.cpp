// SPDX-License-Identifier: Apache-2.0
#include "core/export/chrome_trace.h"

#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "core/export/json_text.h"

namespace lockstep {

namespace {

constexpr size_t kPieceBytes = 1 << 20;
constexpr uint32_t kNoCall = 0; // correlation ids count from 1

// As PyTorch names them; empty: only the slice.
std::string_view chromeCategory(RowKind kind)
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

std::string_view copyWord(CopyKind kind)
{
    static constexpr std::array<std::string_view, 15> kWords{"Unknown", "HtoD", "DtoH", "HtoA", "AtoH",
                                                             "AtoA",    "AtoD", "DtoA", "DtoD", "HtoH",
                                                             "PtoP",    "HtoD", "DtoH", "DtoD", "Memset"};
    return kWords[static_cast<size_t>(kind)];
}

// "Memcpy HtoD (Pinned -> Device)": what PyTorch calls such a row.
std::string copyName(const MemoryOp& op)
{
    if (op.kind == CopyKind::memset) return "Memset (" + std::string(memoryKindName(op.destination)) + ")";
    return "Memcpy " + std::string(copyWord(op.kind)) + " (" + std::string(memoryKindName(op.source)) +
           " -> " + std::string(memoryKindName(op.destination)) + ")";
}

// Nanoseconds as microseconds with all their digits: "1712.345".
std::string microseconds(int64_t ns)
{
    return fixedPointText(ns, 3);
}

class ChromeTrace {
  public:
    ChromeTrace(const Scene& scene, const TextSink& sink, const Progress& progress)
        : m_scene(scene), m_sink(sink), m_progress(progress),
          m_zero_ns(scene.alignment.utcAtZero_ns.value_or(0))
    {
    }

    Status write()
    {
        m_text =
            "{\"schemaVersion\": 1, \"displayTimeUnit\": \"ms\", \"trace_name\": \"Lockstep " LOCKSTEP_VERSION
            "\",\n\"traceEvents\": [\n";
        for (const ReportKey key : m_scene.shown.keys())
            LOCKSTEP_TRY(writeReport(key));
        m_text += "\n]}\n";
        m_sink(m_text);
        return {};
    }

  private:
    void add(const JsonObject& event)
    {
        m_text += (m_isFirst ? "" : ",\n") + event.str();
        m_isFirst = false;
        if (m_text.size() < kPieceBytes) return;
        m_sink(m_text);
        m_text.clear();
    }

    std::string stamp(int64_t trace_ns) const
    {
        return microseconds(m_map->alignedFromTrace(TraceTime{trace_ns}).ns + m_zero_ns);
    }
    // Of a row without a process: one that stands for the machine.
    int64_t pidOf(ProcessId process) const
    {
        return m_firstPid +
               (process.isValid() ? int64_t(process.value) : int64_t(m_report->processes.size()));
    }
    // Threads by their row, other tracks behind all of them.
    int64_t tidOf(const Track& track, TrackId id) const
    {
        if (track.key.thread.isValid()) return m_report->threads[track.key.thread.value].tid;
        if (track.key.device.isValid()) return track.key.lane;
        return int64_t(1) << 40 | int64_t(id.value);
    }

    Status writeReport(ReportKey key);
    void writeNames(ReportKey key);
    void numberCalls();
    void writeSlice(const Track& track, TrackId id, SliceId slice);
    std::string argumentsOf(const Track& track, SliceId slice) const;
    void writeFlows();
    void writeCounters();

    const Scene& m_scene;
    const TextSink& m_sink;
    const Progress& m_progress;
    const int64_t m_zero_ns;
    std::string m_text;
    bool m_isFirst = true;

    const Report* m_report = nullptr;
    const ClockMap* m_map = nullptr;
    int64_t m_firstPid = 1; // of the report's processes
    uint64_t m_flows = 0;
    std::vector<uint32_t> m_correlations; // by slice; of what a launch joins
};

// What a call launched has its number: of several, all have the same.
void ChromeTrace::numberCalls()
{
    m_correlations.assign(m_report->slices.size(), kNoCall);
    uint32_t calls = 0;
    for (const Link& link : m_report->links.all()) {
        if (link.kind != LinkKind::launch) continue;
        uint32_t& call = m_correlations[link.cause.value];
        if (call == kNoCall) call = ++calls;
        m_correlations[link.effect.value] = call;
    }
}

void ChromeTrace::writeNames(ReportKey key)
{
    const auto name = [this](std::string_view what, int64_t pid, int64_t tid, const std::string& text) {
        JsonObject event;
        event.text("ph", "M").text("name", what).number("pid", pid).number("tid", tid);
        add(event.raw("args", JsonObject().text("name", text).str()));
    };
    for (size_t i = 0; i < m_report->processes.size(); ++i) {
        const Process& process = m_report->processes[i];
        const Identity& who = m_scene.shown.identity(key, ProcessId(i));
        std::string text(m_report->strings.at(process.name));
        if (who.role.value) text += (text.empty() ? "" : " ") + *who.role.value;
        if (who.rank.value) text += " rank " + std::to_string(*who.rank.value);
        if (who.host.value) text += " on " + *who.host.value;
        name("process_name", pidOf(ProcessId(i)), 0, text + " (pid " + std::to_string(process.pid) + ")");
    }
    for (const Thread& thread : m_report->threads) {
        const std::string_view text = m_report->strings.at(thread.name);
        if (!text.empty()) name("thread_name", pidOf(thread.process), thread.tid, std::string(text));
    }
}

std::string ChromeTrace::argumentsOf(const Track& track, SliceId slice) const
{
    JsonObject arguments;
    const RowKind kind = m_report->slices.kind[slice.value];
    if (track.key.device.isValid()) {
        arguments.number("device", m_report->devices[track.key.device.value].ordinal);
        arguments.number("context", track.key.context).number("stream", track.key.lane);
    }
    if (m_correlations[slice.value] != kNoCall) arguments.number("correlation", m_correlations[slice.value]);
    const MemoryOp* const op =
        kind == RowKind::memcpy || kind == RowKind::memset ? m_report->memoryOpOf(slice) : nullptr;
    if (op != nullptr) arguments.number("bytes", static_cast<int64_t>(op->size_bytes));
    if (track.key.kind == TrackKind::nvtx && track.name.isValid())
        arguments.text("domain", m_report->strings.at(track.name));
    return arguments.str();
}

void ChromeTrace::writeSlice(const Track& track, TrackId id, SliceId slice)
{
    const SliceTable& slices = m_report->slices;
    const RowKind kind = slices.kind[slice.value];
    const MemoryOp* const op =
        kind == RowKind::memcpy || kind == RowKind::memset ? m_report->memoryOpOf(slice) : nullptr;
    JsonObject event;
    event.text("ph", slices.isInstant(slice) ? "i" : "X").text("cat", chromeCategory(kind));
    event.text("name", op != nullptr ? copyName(*op) : std::string(m_report->nameOf(slice)));
    event.number("pid", pidOf(track.key.process)).number("tid", tidOf(track, id));
    event.raw("ts", stamp(slices.start_ns[slice.value]));
    if (slices.isInstant(slice)) {
        event.text("s", "t");
    } else {
        event.raw("dur", microseconds(slices.duration_ns[slice.value]));
    }
    const std::string arguments = argumentsOf(track, slice);
    if (arguments != "{}") event.raw("args", arguments);
    add(event);
}

// What a file states itself; launches are told by their correlation.
void ChromeTrace::writeFlows()
{
    for (const Link& link : m_report->links.all()) {
        if (link.kind == LinkKind::launch) continue;
        ++m_flows;
        for (const bool isEnd : {false, true}) {
            const SliceId slice = isEnd ? link.effect : link.cause;
            const TrackId id = m_report->trackOf(slice);
            const Track& track = m_report->track(id);
            JsonObject event;
            event.text("ph", isEnd ? "f" : "s")
                .text("cat", link.kind == LinkKind::flow ? "flow" : "record_wait");
            event.text("name", "flow").number("id", static_cast<int64_t>(m_flows));
            event.number("pid", pidOf(track.key.process)).number("tid", tidOf(track, id));
            event.raw("ts", stamp(m_report->slices.start_ns[slice.value]));
            if (isEnd) event.text("bp", "e");
            add(event);
        }
    }
}

void ChromeTrace::writeCounters()
{
    for (const CounterTrack& track : m_report->counterTracks) {
        std::string name(m_report->strings.at(track.name));
        if (track.device.isValid())
            name += " GPU " + std::to_string(m_report->devices[track.device.value].ordinal);
        for (uint32_t i = 0; i < track.sampleCount; ++i) {
            const double value = m_report->counters.value[track.firstSample + i];
            if (!std::isfinite(value)) continue; // JSON has no word for it
            std::array<char, 32> text{};
            const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
            JsonObject event;
            event.text("ph", "C").text("name", name).number("pid", pidOf(track.process)).number("tid", 0);
            event.raw("ts", stamp(m_report->counters.time_ns[track.firstSample + i]));
            const std::string_view digits(text.data(), static_cast<size_t>(end - text.data()));
            add(event.raw("args", JsonObject().raw("value", digits).str()));
        }
    }
}

Status ChromeTrace::writeReport(ReportKey key)
{
    m_report = &m_scene.shown.report(key);
    m_map = &m_scene.alignment.map(key);
    numberCalls();
    writeNames(key);
    for (size_t i = 0; i < m_report->tracks.size(); ++i) {
        const Track& track = m_report->tracks[i];
        LOCKSTEP_TRY(m_progress.check());
        for (uint32_t row = 0; row < track.sliceCount; ++row) {
            if ((row & 0xFFFF) == 0xFFFF) LOCKSTEP_TRY(m_progress.check());
            writeSlice(track, TrackId(i), SliceId(track.firstSlice.value + row));
        }
    }
    writeFlows();
    writeCounters();
    m_firstPid += static_cast<int64_t>(m_report->processes.size()) + 1;
    return {};
}

} // namespace

Status writeChromeTrace(const Scene& scene, const TextSink& sink, const Progress& progress)
{
    return ChromeTrace(scene, sink, progress).write();
}

} // namespace lockstep
