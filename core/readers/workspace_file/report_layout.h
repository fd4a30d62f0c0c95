// SPDX-License-Identifier: Apache-2.0
// What of a Report is stored and how: the columns by name, and everything else as one header. One list serves
// saving and opening. Each struct is taken apart by name, so that a member added to it does not compile until
// it has its place here; format numbers are in workspace_file.h.
#pragma once

#include <array>

#include "core/readers/workspace_file/byte_archive.h"
#include "core/readers/workspace_file/column_codec.h"
#include "core/trace/report.h"
#include "core/trace/report_identity.h"

namespace lockstep {

template<class Archive>
void describe(Archive& archive, Identity& identity)
{
    auto& [run, host, role, rank, localRank, worldSize, step, stage, tool, captureIndex, replica, replicaRank,
           pid] = identity;
    describe(archive, run, host, role, rank, localRank, worldSize, step, stage, tool, captureIndex, replica,
             replicaRank, pid);
}

template<class Archive>
void describe(Archive& archive, ProcessStatement& said)
{
    auto& [pid, stated] = said;
    describe(archive, pid, stated);
}

template<class Archive>
void describe(Archive& archive, Process& process)
{
    auto& [key, pid, name, identity] = process;
    describe(archive, key, pid, name, identity);
}

template<class Archive>
void describe(Archive& archive, Thread& thread)
{
    auto& [process, tid, name] = thread;
    describe(archive, process, tid, name);
}

template<class Archive>
void describe(Archive& archive, Device& device)
{
    auto& [process, ordinal, name, uuid, memory_bytes, multiprocessors] = device;
    describe(archive, process, ordinal, name, uuid, memory_bytes, multiprocessors);
}

template<class Archive>
void describe(Archive& archive, Track& track)
{
    auto& [key, name, firstSlice, sliceCount, depthCount] = track;
    auto& [kind, process, thread, device, lane, context] = key;
    describe(archive, kind, process, thread, device, lane, context, name, firstSlice, sliceCount, depthCount);
}

template<class Archive>
void describe(Archive& archive, CounterTrack& track)
{
    auto& [name, unit, process, device, shape, firstSample, sampleCount] = track;
    describe(archive, name, unit, process, device, shape, firstSample, sampleCount);
}

template<class Archive>
void describe(Archive& archive, MemoryOp& op)
{
    auto& [slice, kind, source, destination, size_bytes] = op;
    describe(archive, slice, kind, source, destination, size_bytes);
}

template<class Archive>
void describe(Archive& archive, CollectiveOp& op)
{
    auto& [slice, collective, group, groupRanks, dataType, groupSize, rankInGroup, rankStart, rankStride,
           peer, inElements, outElements, message_bytes, sequence, commsId, isPointToPoint] = op;
    describe(archive, slice, collective, group, groupRanks, dataType, groupSize, rankInGroup, rankStart,
             rankStride, peer, inElements, outElements, message_bytes, sequence, commsId, isPointToPoint);
}

template<class Archive>
void describe(Archive& archive, MemoryFrame& frame)
{
    auto& [function, file, line, graphNode] = frame;
    describe(archive, function, file, line, graphNode);
}

template<class Archive>
void describe(Archive& archive, ClockDomain& clock)
{
    auto& [name, utcAtZero_ns, utcResolution_ns, systemAtZero_ns, utcSource] = clock;
    describe(archive, name, utcAtZero_ns, utcResolution_ns, systemAtZero_ns, utcSource);
}

template<class Archive>
void describe(Archive& archive, Provenance& provenance)
{
    auto& [path, readFrom, size_bytes, kind, producer, schema, tool] = provenance; // tool follows from kind
    describe(archive, path, readFrom, size_bytes, kind, producer, schema);
}

template<class Archive>
void describe(Archive& archive, ImportNotes& notes)
{
    std::vector<ImportNote> all = notes.all();
    const uint64_t count = describeCount(archive, all.size());
    all.resize(count);
    if constexpr (Archive::kReads) notes = {};
    for (ImportNote& note : all) {
        auto& [kind, severity, noteCount, text, example] = note;
        describe(archive, kind, severity, noteCount, text, example);
        if constexpr (Archive::kReads) notes.add(kind, severity, text, example, noteCount);
    }
}

template<class Archive>
void describe(Archive& archive, TimeRange& range)
{
    describe(archive, range.begin.ns, range.end.ns);
}

// Everything of a report that is no column. links, strings and memory are given to the columns.
template<class Archive>
void describeHeader(Archive& archive, Report& report)
{
    auto& [provenance, identity, clock, session, extent, facts, strings, processes, threads, devices, tracks,
           slices, counterTracks, counters, links, memoryOps, collectives, shortNames, colors, sourceTables,
           memory, rowCounts, notes] = report;
    describe(archive, provenance, identity, clock, session, extent, facts, processes, threads, devices,
             tracks);
    describe(archive, counterTracks, memoryOps, collectives, shortNames, colors, sourceTables, rowCounts,
             notes);
}

// Calls visit(name, column, coding) for each column of a slice or counter table.
template<class Visit>
void visitTableColumns(Report& report, const Visit& visit)
{
    auto& [start, duration, source, name, parent, depth, kind, category, flags] = report.slices;
    auto& [time, value] = report.counters;
    visit("slice.start", start, ColumnCoding::delta);
    visit("slice.duration", duration, ColumnCoding::plain);
    visit("slice.source", source, ColumnCoding::delta);
    visit("slice.name", name, ColumnCoding::plain);
    visit("slice.parent", parent, ColumnCoding::fromRow);
    visit("slice.depth", depth, ColumnCoding::plain);
    visit("slice.kind", kind, ColumnCoding::plain);
    visit("slice.category", category, ColumnCoding::plain);
    visit("slice.flags", flags, ColumnCoding::plain);
    visit("counter.time", time, ColumnCoding::delta);
    visit("counter.value", value, ColumnCoding::plain);
}

// The same for an allocator snapshot. Its frames are rows of a struct and go into describeFrames().
template<class Visit>
void visitMemoryColumns(MemorySnapshot& memory, const Visit& visit)
{
    auto& [segments, blocks, entries, frames, stackBegin, stackFrames, devices] = memory;
    auto& [device, address, total, allocated, active, requested, stream, pool, type, isExpandable, stack,
           firstBlock, blockCount] = segments;
    visit("segment.device", device, ColumnCoding::plain);
    visit("segment.address", address, ColumnCoding::delta);
    visit("segment.total", total, ColumnCoding::plain);
    visit("segment.allocated", allocated, ColumnCoding::plain);
    visit("segment.active", active, ColumnCoding::plain);
    visit("segment.requested", requested, ColumnCoding::plain);
    visit("segment.stream", stream, ColumnCoding::plain);
    visit("segment.pool", pool, ColumnCoding::plain);
    visit("segment.type", type, ColumnCoding::plain);
    visit("segment.expandable", isExpandable, ColumnCoding::plain);
    visit("segment.stack", stack, ColumnCoding::plain);
    visit("segment.firstBlock", firstBlock, ColumnCoding::delta);
    visit("segment.blockCount", blockCount, ColumnCoding::plain);
    auto& [blockAddress, blockSize, blockRequested, blockState, blockStack] = blocks;
    visit("block.address", blockAddress, ColumnCoding::delta);
    visit("block.size", blockSize, ColumnCoding::plain);
    visit("block.requested", blockRequested, ColumnCoding::plain);
    visit("block.state", blockState, ColumnCoding::plain);
    visit("block.stack", blockStack, ColumnCoding::plain);
    auto& [entryDevice, action, entryAddress, entrySize, entryStream, time, entryStack, forwardStack,
           metadata, compile, entryPool] = entries;
    visit("entry.device", entryDevice, ColumnCoding::plain);
    visit("entry.action", action, ColumnCoding::plain);
    visit("entry.address", entryAddress, ColumnCoding::plain);
    visit("entry.size", entrySize, ColumnCoding::plain);
    visit("entry.stream", entryStream, ColumnCoding::plain);
    visit("entry.time", time, ColumnCoding::delta);
    visit("entry.stack", entryStack, ColumnCoding::plain);
    visit("entry.forwardStack", forwardStack, ColumnCoding::plain);
    visit("entry.userMetadata", metadata, ColumnCoding::plain);
    visit("entry.compileContext", compile, ColumnCoding::plain);
    visit("entry.pool", entryPool, ColumnCoding::plain);
    visit("stack.begin", stackBegin, ColumnCoding::delta);
    visit("stack.frames", stackFrames, ColumnCoding::plain);
    visit("stack.devices", devices, ColumnCoding::plain);
}

} // namespace lockstep
