// SPDX-License-Identifier: Apache-2.0
#include "tests/support/report_compare.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <tuple>

#include "core/trace/report_columns.h"

namespace lockstep::test {

namespace {

std::string tableDifference(const Report& a, const Report& b)
{
    const SliceTable &s = a.slices, &t = b.slices;
    if (s.start_ns != t.start_ns) return "slices.start_ns";
    if (s.duration_ns != t.duration_ns) return "slices.duration_ns";
    if (s.source != t.source) return "slices.source";
    if (s.name != t.name) return "slices.name";
    if (s.parent != t.parent) return "slices.parent";
    if (s.depth != t.depth) return "slices.depth";
    if (s.kind != t.kind) return "slices.kind";
    if (s.category != t.category) return "slices.category";
    if (s.flags != t.flags) return "slices.flags";
    if (a.counters.time_ns != b.counters.time_ns) return "counters.time_ns";
    const auto& values = a.counters.value;
    if (values.size() != b.counters.value.size() ||
        (!values.empty() &&
         std::memcmp(values.data(), b.counters.value.data(), values.size() * sizeof(double)) != 0)) {
        return "counters.value";
    }
    return {};
}

std::string entityDifference(const Report& a, const Report& b)
{
    const auto process = [](const Process& p) { return std::tie(p.key, p.pid, p.name, p.identity); };
    const auto thread = [](const Thread& t) { return std::tie(t.process, t.tid, t.name); };
    const auto device = [](const Device& d) {
        return std::tie(d.process, d.ordinal, d.name, d.uuid, d.memory_bytes, d.multiprocessors);
    };
    const auto track = [](const Track& t) {
        return std::tie(t.key, t.name, t.firstSlice, t.sliceCount, t.depthCount);
    };
    const auto counter = [](const CounterTrack& c) {
        return std::tie(c.name, c.unit, c.process, c.device, c.shape, c.firstSample, c.sampleCount);
    };
    if (!std::ranges::equal(a.processes, b.processes, {}, process, process)) return "processes";
    if (!std::ranges::equal(a.threads, b.threads, {}, thread, thread)) return "threads";
    if (!std::ranges::equal(a.devices, b.devices, {}, device, device)) return "devices";
    if (!std::ranges::equal(a.tracks, b.tracks, {}, track, track)) return "tracks";
    if (!std::ranges::equal(a.counterTracks, b.counterTracks, {}, counter, counter)) return "counterTracks";
    return {};
}

std::string memoryDifference(const MemorySnapshot& a, const MemorySnapshot& b)
{
    const auto segments = [](const MemorySegmentTable& s) {
        return std::tie(s.device, s.address, s.total_bytes, s.allocated_bytes, s.active_bytes,
                        s.requested_bytes, s.stream, s.pool, s.type, s.isExpandable, s.stack, s.firstBlock,
                        s.blockCount);
    };
    const auto blocks = [](const MemoryBlockTable& s) {
        return std::tie(s.address, s.size_bytes, s.requested_bytes, s.state, s.stack);
    };
    const auto entries = [](const MemoryEntryTable& s) {
        return std::tie(s.device, s.action, s.address, s.size_bytes, s.stream, s.time_ns, s.stack,
                        s.forwardStack, s.userMetadata, s.compileContext, s.pool);
    };
    if (segments(a.segments) != segments(b.segments)) return "memory.segments";
    if (blocks(a.blocks) != blocks(b.blocks)) return "memory.blocks";
    if (entries(a.entries) != entries(b.entries)) return "memory.entries";
    const bool sameStacks =
        a.frames == b.frames && a.stackBegin == b.stackBegin && a.stackFrames == b.stackFrames;
    return sameStacks && a.devices == b.devices ? "" : "memory.frames, stacks or devices";
}

std::string plainDifference(const Report& a, const Report& b)
{
    const auto provenance = [](const Provenance& p) {
        return std::tie(p.path, p.size_bytes, p.kind, p.producer, p.schema);
    };
    const auto clock = [](const ClockDomain& c) {
        return std::tie(c.name, c.utcAtZero_ns, c.utcResolution_ns, c.systemAtZero_ns, c.utcSource);
    };
    if (provenance(a.provenance) != provenance(b.provenance)) return "provenance";
    if (a.identity != b.identity) return "identity";
    if (clock(a.clock) != clock(b.clock)) return "clock";
    if (!(a.session == b.session && a.extent == b.extent)) return "session or extent";
    if (a.facts != b.facts) return "facts";
    if (a.sourceTables != b.sourceTables) return "sourceTables";
    if (a.rowCounts != b.rowCounts) return "rowCounts";
    return a.notes.all() == b.notes.all() ? "" : "notes";
}

// Numbers that are not recorded may be no numbers, so rows are compared byte by byte.
std::string bytesOf(const SampleTables& tables)
{
    std::string out;
    SampleColumns::visit(tables, [&](const ColumnFacts&, const auto& column) {
        const auto bytes = std::as_bytes(std::span(column));
        out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size()) += '|';
    });
    return out;
}

} // namespace

std::string firstDifference(const Report& a, const Report& b)
{
    for (const auto part : {plainDifference, tableDifference, entityDifference}) {
        if (const std::string found = part(a, b); !found.empty()) return found;
    }
    if (a.strings.size() != b.strings.size()) return "strings";
    for (size_t i = 0; i < a.strings.size(); ++i) {
        if (a.strings.at(StringId(i)) != b.strings.at(StringId(i))) return "string " + std::to_string(i);
    }
    if (!std::ranges::equal(a.links.all(), b.links.all())) return "links";
    for (size_t i = 0; i < a.slices.size() && a.links.size() > 0; ++i) {
        const Link *to = a.links.to(SliceId(i)), *other = b.links.to(SliceId(i));
        if ((to == nullptr) != (other == nullptr) || (to != nullptr && *to != *other))
            return "links by effect";
    }
    if (a.memoryOps != b.memoryOps) return "memoryOps";
    if (a.collectives != b.collectives) return "collectives";
    if (a.rowFacts.rows != b.rowFacts.rows || a.rowFacts.values != b.rowFacts.values) return "rowFacts";
    if (bytesOf(a.samples) != bytesOf(b.samples)) return "samples";
    if (a.shortNames != b.shortNames) return "shortNames";
    if (a.colors != b.colors) return "colors";
    if ((a.memory == nullptr) != (b.memory == nullptr)) return "memory";
    return a.memory ? memoryDifference(*a.memory, *b.memory) : "";
}

} // namespace lockstep::test
