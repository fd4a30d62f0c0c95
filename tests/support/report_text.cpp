// SPDX-License-Identifier: Apache-2.0
#include "tests/support/report_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

namespace lockstep::test {

namespace {

std::string_view trackKindText(TrackKind kind)
{
    static constexpr std::array<std::string_view, static_cast<size_t>(TrackKind::count)> kNames{
        "gpuStream",    "gpuGraph",    "gpuSync",   "gpuAnnotation", "nvtx",       "cudaApi",
        "ops",          "python",      "osRuntime", "scheduling",    "libraryApi", "overhead",
        "memoryEvents", "diagnostics", "other",     "graphEvents",   "samples"};
    return kNames[static_cast<size_t>(kind)];
}

std::string inQuotes(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
        } else {
            out += c;
        }
    }
    return out + "\"";
}

std::string numberText(double value)
{
    std::array<char, 40> text = {};
    std::snprintf(text.data(), text.size(), "%.15g", value);
    return text.data();
}

template<class T>
void addPart(std::string& out, const char* name, const Sourced<T>& part)
{
    if (!part.isKnown()) return;
    if constexpr (std::is_same_v<T, std::string>) {
        out += std::string(" ") + name + "=" + *part.value;
    } else {
        out += std::string(" ") + name + "=" + std::to_string(*part.value);
    }
    out += " (" + part.source + ")";
}

std::string identityText(const Identity& identity)
{
    std::string out;
    addPart(out, "run", identity.run);
    addPart(out, "host", identity.host);
    addPart(out, "role", identity.role);
    addPart(out, "rank", identity.rank);
    addPart(out, "localRank", identity.localRank);
    addPart(out, "worldSize", identity.worldSize);
    addPart(out, "step", identity.step);
    return out;
}

class ReportWriter {
  public:
    explicit ReportWriter(const Report& report) : m_report(report) {}

    void writeHead(bool facts)
    {
        const ClockDomain& clock = m_report.clock;
        line("producer " + m_report.provenance.kind + ", " + m_report.provenance.producer + ", schema " +
             m_report.provenance.schema);
        std::string clockText = "clock " + inQuotes(clock.name);
        if (clock.utcAtZero_ns) {
            clockText += " utc " + std::to_string(*clock.utcAtZero_ns) + " +-" +
                         std::to_string(clock.utcResolution_ns) + " (" + clock.utcSource + ")";
        }
        if (clock.systemAtZero_ns) clockText += " system " + std::to_string(*clock.systemAtZero_ns);
        line(clockText);
        line("session " + rangeText(m_report.session) + " extent " + rangeText(m_report.extent));
        line("identity" + identityText(m_report.identity));
        if (!facts) return;
        for (const Fact& fact : m_report.facts)
            line("fact " + fact.first + ": " + inQuotes(fact.second));
    }

    void writeEntities()
    {
        std::vector<std::string> lines;
        for (const Process& process : m_report.processes) {
            lines.push_back("process " + std::to_string(process.pid) + " " + text(process.name) +
                            identityText(process.identity));
        }
        for (const Thread& thread : m_report.threads) {
            lines.push_back("thread " + pid(thread.process) + "/" + std::to_string(thread.tid) + " " +
                            text(thread.name));
        }
        for (const Device& device : m_report.devices) {
            lines.push_back("device " + pid(device.process) + "/" + std::to_string(device.ordinal) + " " +
                            text(device.name) + " uuid " + text(device.uuid) + " memory " +
                            std::to_string(device.memory_bytes) + " sm " +
                            std::to_string(device.multiprocessors));
        }
        std::ranges::sort(lines);
        for (const std::string& entry : lines)
            line(entry);
    }

    void writeTracks(bool slices)
    {
        for (const Track& track : m_report.tracks) {
            line("track " + trackText(track) + " " + text(track.name) + " slices " +
                 std::to_string(track.sliceCount) + " rows " + std::to_string(track.depthCount));
            for (uint32_t i = 0; slices && i < track.sliceCount; ++i) {
                line("  slice " + sliceText(SliceId(track.firstSlice.value + i)));
            }
        }
    }

    void writeSides()
    {
        for (const CounterTrack& track : m_report.counterTracks) {
            line("counter " + text(track.name) + " unit " + text(track.unit) + " of " + pid(track.process));
            for (uint32_t i = 0; i < track.sampleCount; ++i) {
                const size_t at = track.firstSample + i;
                line("  sample " + std::to_string(m_report.counters.time_ns[at]) + " " +
                     numberText(m_report.counters.value[at]));
            }
        }
        for (const Link& link : m_report.links.all()) {
            static constexpr std::array<const char*, 3> kKinds{"launch", "flow", "recordWait"};
            line(std::string("link ") + kKinds[static_cast<size_t>(link.kind)] + " " +
                 locationText(link.cause) + " -> " + locationText(link.effect));
        }
        for (const MemoryOp& op : m_report.memoryOps) {
            line("copy " + locationText(op.slice) + " " + std::string(copyKindName(op.kind)) + " " +
                 std::string(memoryKindName(op.source)) + " -> " +
                 std::string(memoryKindName(op.destination)) + " " + std::to_string(op.size_bytes) + " B");
        }
        for (const auto& [slice, rgb] : m_report.colors) {
            std::array<char, 8> hex = {};
            std::snprintf(hex.data(), hex.size(), "%06X", rgb);
            line("color " + locationText(slice) + " " + hex.data());
        }
        for (const auto& [full, base] : m_report.shortNames)
            line("short " + text(full) + " = " + text(base));
    }

    void writeSamples()
    {
        const SampleTables& tables = m_report.samples;
        const auto add = [](std::string& out, const char* name, int64_t number) {
            if (number != kUnrecorded) out += std::string(" ") + name + " " + std::to_string(number);
        };
        for (const Sample& sample : tables.samples) {
            std::string out = sample.level == SampleLevel::request ? "request " : "sample ";
            out += text(sample.id) + " of " + pid(sample.process);
            add(out, "from", sample.start_ns);
            add(out, "to", sample.end_ns);
            for (const auto& [name, id] : {std::pair("group", sample.group),
                                           {"replica", sample.replica},
                                           {"said", sample.statusText}}) {
                if (id.isValid()) out += std::string(" ") + name + " " + text(id);
            }
            add(out, "status", static_cast<int64_t>(sample.status));
            add(out, "step", sample.step);
            add(out, "version", sample.firstVersion);
            add(out, "to version", sample.lastVersion);
            add(out, "prompt", sample.promptTokens);
            add(out, "output", sample.outputTokens);
            add(out, "cached", sample.cachedTokens);
            add(out, "preemptions", sample.preemptions);
            if (sample.reward == sample.reward) out += " reward " + numberText(sample.reward);
            if (sample.attempts != 1) add(out, "attempts", sample.attempts);
            if (sample.flags != 0) add(out, "flags", sample.flags);
            line(out);
        }
        for (const SampleSpan& span : tables.spans) {
            std::string out =
                "span " + locationText(span.slice) + " kind " + std::to_string(static_cast<int>(span.kind));
            if (span.sample.isValid()) out += " of " + text(tables.samples[span.sample.value].id);
            if (span.turn != SampleSpan::kNoTurn) add(out, "turn", span.turn);
            if (span.attempt != 0) add(out, "attempt", span.attempt);
            if (span.request.isValid()) out += " request " + text(span.request);
            line(out + (span.isDerived != 0 ? " derived" : ""));
        }
        for (const WeightUpdate& update : tables.weightUpdates) {
            std::string out = "weights " + locationText(update.slice);
            add(out, "version", update.version);
            add(out, "bytes", update.size_bytes);
            line(out);
        }
        for (const StepValue& value : tables.stepValues)
            line("step " + std::to_string(value.step) + " " + text(value.name) + " " +
                 numberText(value.value));
        for (const ReplicaGpu& gpu : tables.replicaGpus)
            line("replica " + text(gpu.replica) + " from " + std::to_string(gpu.validFrom_ns) + " gpu " +
                 std::to_string(gpu.gpu) + " of " + text(gpu.host));
    }

    void writeEnd(bool notes)
    {
        for (const auto& [kind, count] : m_report.rowCounts)
            line("count " + kind + " " + std::to_string(count));
        if (!notes) return;
        for (const ImportNote& note : m_report.notes.all()) {
            line("note " + note.kind + " " + std::string(noteSeverityName(note.severity)) + " " +
                 std::to_string(note.count) + " (" + note.example + ")");
        }
    }

    std::string take() { return std::move(m_out); }

  private:
    void line(std::string_view entry) { (m_out += entry) += "\n"; }
    std::string text(StringId id) const { return inQuotes(m_report.strings.at(id)); }
    std::string pid(ProcessId id) const
    {
        return id.isValid() ? std::to_string(m_report.processes[id.value].pid) : std::string("machine");
    }
    static std::string rangeText(TimeRange range)
    {
        return "[" + std::to_string(range.begin.ns) + ", " + std::to_string(range.end.ns) + ")";
    }
    std::string trackText(const Track& track) const
    {
        const TrackKey& key = track.key;
        std::string out = std::string(trackKindText(key.kind)) + " " + pid(key.process);
        if (key.thread.isValid()) out += "/" + std::to_string(m_report.threads[key.thread.value].tid);
        if (key.device.isValid()) out += " gpu " + std::to_string(m_report.devices[key.device.value].ordinal);
        out += " lane " + std::to_string(key.lane);
        return key.context != 0 ? out + " context " + std::to_string(key.context) : out;
    }
    std::string sliceText(SliceId id) const
    {
        const SliceTable& slices = m_report.slices;
        std::string out =
            std::to_string(slices.start(id).ns) + " +" + std::to_string(slices.duration(id).ns) + " depth " +
            std::to_string(slices.depth[id.value]) + " " + std::string(rowKindName(slices.kind[id.value])) +
            "/" + std::string(sliceCategoryName(slices.category[id.value])) + " " +
            inQuotes(m_report.nameOf(id));
        const uint8_t flags = slices.flags[id.value];
        if ((flags & sliceFlag::kInstant) != 0) out += " instant";
        if ((flags & sliceFlag::kOpenEnd) != 0) out += " open";
        if ((flags & sliceFlag::kRepaired) != 0) out += " repaired";
        return out;
    }
    std::string locationText(SliceId id) const
    {
        const SourceRow source = m_report.slices.source[id.value];
        const std::string table =
            source.table() < m_report.sourceTables.size() ? m_report.sourceTables[source.table()] : "?";
        return table + ":" + std::to_string(source.row());
    }

    const Report& m_report;
    std::string m_out;
};

} // namespace

std::string reportText(const Report& report, const ReportTextOptions& options)
{
    ReportWriter writer(report);
    writer.writeHead(options.facts);
    writer.writeEntities();
    writer.writeTracks(options.slices);
    writer.writeSides();
    writer.writeSamples();
    writer.writeEnd(options.notes);
    return writer.take();
}

} // namespace lockstep::test
