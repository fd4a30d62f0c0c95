// SPDX-License-Identifier: Apache-2.0
#include "tests/support/slice_text.h"

#include <array>

namespace lockstep::test {

namespace {

std::string_view trackWord(TrackKind kind)
{
    static constexpr std::array<std::string_view, size_t(TrackKind::count)> kWords{
        "gpuStream",    "gpuGraph",    "gpuSync",   "gpuAnnotation", "nvtx",       "cudaApi",
        "ops",          "python",      "osRuntime", "scheduling",    "libraryApi", "overhead",
        "memoryEvents", "diagnostics", "other",     "graphEvents"};
    return kWords[size_t(kind)];
}

std::string named(const Report& report, StringId name)
{
    const std::string_view text = report.strings.at(name);
    return text.empty() ? std::string() : " \"" + std::string(text) + "\"";
}

std::string trackLine(const Report& report, const Track& track)
{
    const TrackKey& key = track.key;
    std::string out = "track " + std::string(trackWord(key.kind));
    if (key.process.isValid()) {
        const Process& process = report.processes[key.process.value];
        if (process.pid > -1000) out += " pid " + std::to_string(process.pid);
        out += named(report, process.name);
    }
    if (key.thread.isValid()) {
        const Thread& thread = report.threads[key.thread.value];
        if (thread.tid > -1000) out += " tid " + std::to_string(thread.tid);
        out += named(report, thread.name);
    }
    if (key.device.isValid()) {
        out += " gpu " + std::to_string(report.devices[key.device.value].ordinal) + " stream " +
               std::to_string(key.lane);
        out += " context " + std::to_string(key.context);
    }
    return out + named(report, track.name) + "\n";
}

std::string sliceLine(const Report& report, SliceId id)
{
    const SliceTable& slices = report.slices;
    std::string out(2 + 2 * size_t(slices.depth[id.value]), ' ');
    out +=
        std::to_string(slices.start_ns[id.value]) + " +" + std::to_string(slices.duration_ns[id.value]) + " ";
    out += std::string(rowKindName(slices.kind[id.value])) + " \"" + std::string(report.nameOf(id)) + "\"";
    out += " @" + std::to_string(slices.source[id.value].row());
    if (slices.flags[id.value] != 0) out += " flags " + std::to_string(slices.flags[id.value]);
    if (const MemoryOp* const op = report.memoryOpOf(id)) {
        out += " " + std::string(copyKindName(op->kind)) + " " + std::to_string(op->size_bytes) + " B";
    }
    return out + "\n";
}

} // namespace

std::string sliceText(const Report& report)
{
    std::string out;
    for (const Track& track : report.tracks) {
        out += trackLine(report, track);
        for (uint32_t i = 0; i < track.sliceCount; ++i)
            out += sliceLine(report, SliceId(track.firstSlice.value + i));
    }
    for (const Link& link : report.links.all()) {
        out += link.kind == LinkKind::launch ? "launch " : "flow ";
        out +=
            std::string(report.nameOf(link.cause)) + " -> " + std::string(report.nameOf(link.effect)) + "\n";
    }
    for (const CounterTrack& track : report.counterTracks) {
        out += "counter" + named(report, track.name);
        if (track.device.isValid())
            out += " gpu " + std::to_string(report.devices[track.device.value].ordinal);
        for (uint32_t i = track.firstSample; i < track.firstSample + track.sampleCount; ++i) {
            out += " " + std::to_string(report.counters.time_ns[i]) + "=" +
                   std::to_string(report.counters.value[i]);
        }
        out += "\n";
    }
    for (const auto& [word, count] : report.rowCounts)
        out += "count " + word + " " + std::to_string(count) + "\n";
    for (const ImportNote& note : report.notes.all()) {
        out += "note " + note.kind + " (" + std::string(noteSeverityName(note.severity)) + ") " +
               std::to_string(note.count) + (note.example.empty() ? "" : " " + note.example) + "\n";
    }
    return out;
}

} // namespace lockstep::test
