// SPDX-License-Identifier: Apache-2.0
// Defines the parts of a Report that are stored in addition to the columns of core/trace/report_columns.h:
// the columns of an allocator snapshot, and everything else as one header. The same list is used for saving
// and opening. Each struct is decomposed by name, so that a new member does not compile until it is handled
// here; the format version is in workspace_file.h.
#pragma once

#include <array>

#include "core/readers/workspace_file/byte_archive.h"
#include "core/trace/report_columns.h"
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
void describe(Archive& archive, ProcessEdit& edit)
{
    auto& [pid, stated] = edit;
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
    // `tool` is derived from `kind`.
    auto& [path, readFrom, size_bytes, kind, producer, schema, tool] = provenance;
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

// Everything in a report that is not a column. Links, copies, collectives, rowFacts, strings, samples,
// clockRounds and memory are stored as columns.
template<class Archive>
void describeHeader(Archive& archive, Report& report)
{
    // place and packedIndex belong to the current opening and are not stored. chunk and gaps belong to a live
    // run; a note reports them instead.
    auto& [provenance, identity, clock, session, extent, facts, chunk, gaps, place, strings, processes,
           threads, devices, tracks, slices, counterTracks, counters, links, memoryOps, collectives, rowFacts,
           shortNames, colors, sourceTables, samples, clockRounds, memory, packedIndex, rowCounts, notes] =
        report;
    describe(archive, provenance, identity, clock, session, extent, facts, processes, threads, devices,
             tracks);
    describe(archive, counterTracks, shortNames, colors, sourceTables, rowCounts, notes);
}

// A column that only a few reports have; other reports have no block for it.
inline constexpr ColumnFacts kClockRoundsColumn{"clockRound", "", "clock comparisons of a host",
                                                ColumnOrder::any};

// Calls visit(facts, column) for each column of an allocator snapshot. The snapshot's tables define what the
// columns mean. Stack frames are rows of a struct and are handled by describeFrames().
template<class Snapshot, class Visit>
void visitMemoryColumns(Snapshot& memory, Visit& visit)
{
    auto& [segments, blocks, entries, frames, stackBegin, stackFrames, devices, subjects] = memory;
    auto& [device, address, total, allocated, active, requested, stream, pool, type, isExpandable, stack,
           firstBlock, blockCount] = segments;
    visit(ColumnFacts{"segment.device", "", "", ColumnOrder::any}, device);
    visit(ColumnFacts{"segment.address", "", "", ColumnOrder::rising}, address);
    visit(ColumnFacts{"segment.total", "", "", ColumnOrder::any}, total);
    visit(ColumnFacts{"segment.allocated", "", "", ColumnOrder::any}, allocated);
    visit(ColumnFacts{"segment.active", "", "", ColumnOrder::any}, active);
    visit(ColumnFacts{"segment.requested", "", "", ColumnOrder::any}, requested);
    visit(ColumnFacts{"segment.stream", "", "", ColumnOrder::any}, stream);
    visit(ColumnFacts{"segment.pool", "", "", ColumnOrder::any}, pool);
    visit(ColumnFacts{"segment.type", "", "", ColumnOrder::any}, type);
    visit(ColumnFacts{"segment.expandable", "", "", ColumnOrder::any}, isExpandable);
    visit(ColumnFacts{"segment.stack", "", "", ColumnOrder::any}, stack);
    visit(ColumnFacts{"segment.firstBlock", "", "", ColumnOrder::rising}, firstBlock);
    visit(ColumnFacts{"segment.blockCount", "", "", ColumnOrder::any}, blockCount);
    auto& [blockAddress, blockSize, blockRequested, blockState, blockStack] = blocks;
    visit(ColumnFacts{"block.address", "", "", ColumnOrder::rising}, blockAddress);
    visit(ColumnFacts{"block.size", "", "", ColumnOrder::any}, blockSize);
    visit(ColumnFacts{"block.requested", "", "", ColumnOrder::any}, blockRequested);
    visit(ColumnFacts{"block.state", "", "", ColumnOrder::any}, blockState);
    visit(ColumnFacts{"block.stack", "", "", ColumnOrder::any}, blockStack);
    auto& [entryDevice, action, entryAddress, entrySize, entryStream, time, entryStack, forwardStack,
           metadata, compile, entryPool, stated, reserved] = entries;
    visit(ColumnFacts{"entry.device", "", "", ColumnOrder::any}, entryDevice);
    visit(ColumnFacts{"entry.action", "", "", ColumnOrder::any}, action);
    visit(ColumnFacts{"entry.address", "", "", ColumnOrder::any}, entryAddress);
    visit(ColumnFacts{"entry.size", "", "", ColumnOrder::any}, entrySize);
    visit(ColumnFacts{"entry.stream", "", "", ColumnOrder::any}, entryStream);
    visit(ColumnFacts{"entry.time", "", "", ColumnOrder::rising}, time);
    visit(ColumnFacts{"entry.stack", "", "", ColumnOrder::any}, entryStack);
    visit(ColumnFacts{"entry.forwardStack", "", "", ColumnOrder::any}, forwardStack);
    visit(ColumnFacts{"entry.userMetadata", "", "", ColumnOrder::any}, metadata);
    visit(ColumnFacts{"entry.compileContext", "", "", ColumnOrder::any}, compile);
    visit(ColumnFacts{"entry.pool", "", "", ColumnOrder::any}, entryPool);
    visit(ColumnFacts{"entry.stated", "", "", ColumnOrder::any, true}, stated);
    visit(ColumnFacts{"entry.reserved", "", "", ColumnOrder::any, true}, reserved);
    visit(ColumnFacts{"stack.begin", "", "", ColumnOrder::rising}, stackBegin);
    visit(ColumnFacts{"stack.frames", "", "", ColumnOrder::any}, stackFrames);
    visit(ColumnFacts{"stack.devices", "", "", ColumnOrder::any}, devices);
    auto& [recorder, subjectKind, ordinal, subjectProcess, before] = subjects;
    visit(ColumnFacts{"subject.recorder", "", "", ColumnOrder::any, true}, recorder);
    visit(ColumnFacts{"subject.kind", "", "", ColumnOrder::any, true}, subjectKind);
    visit(ColumnFacts{"subject.ordinal", "", "", ColumnOrder::any, true}, ordinal);
    visit(ColumnFacts{"subject.process", "", "", ColumnOrder::any, true}, subjectProcess);
    visit(ColumnFacts{"subject.before", "", "", ColumnOrder::any, true}, before);
}

} // namespace lockstep
