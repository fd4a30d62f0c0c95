// SPDX-License-Identifier: Apache-2.0
#include "core/readers/workspace_file/report_check.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/trace/slice_batch.h"

namespace lockstep {

namespace {

template<class Tag>
bool isWithin(Id<Tag> id, size_t rows)
{
    return !id.isValid() || id.value < rows;
}

template<class First, class... Rest>
bool sameLength(const First& first, const Rest&... rest)
{
    return ((rest.size() == first.size()) && ...);
}

template<class Column>
bool sameLengthOrEmpty(const Column& column, size_t rows)
{
    return column.empty() || column.size() == rows;
}

template<class Column>
bool allWithin(const Column& ids, size_t rows)
{
    return std::ranges::all_of(ids, [rows](auto id) { return isWithin(id, rows); });
}

bool entitiesHold(const Report& report)
{
    const size_t texts = report.strings.size();
    const size_t processes = report.processes.size();
    const auto process = [&](const Process& p) { return isWithin(p.name, texts); };
    const auto thread = [&](const Thread& t) {
        return isWithin(t.name, texts) && isWithin(t.process, processes);
    };
    const auto device = [&](const Device& d) {
        return isWithin(d.name, texts) && isWithin(d.uuid, texts) && isWithin(d.process, processes);
    };
    return std::ranges::all_of(report.processes, process) && std::ranges::all_of(report.threads, thread) &&
           std::ranges::all_of(report.devices, device);
}

// Returns true if tracks follow each other without gaps, and so do counter tracks.
bool tracksHold(const Report& report)
{
    uint64_t next = 0;
    for (const Track& track : report.tracks) {
        const TrackKey& key = track.key;
        if (key.kind >= TrackKind::count || !isWithin(key.process, report.processes.size()) ||
            !isWithin(key.thread, report.threads.size()) || !isWithin(key.device, report.devices.size()) ||
            !isWithin(track.name, report.strings.size()) || track.firstSlice.value != next) {
            return false;
        }
        next += track.sliceCount;
    }
    if (next != report.slices.size()) return false;
    next = 0;
    for (const CounterTrack& track : report.counterTracks) {
        if (!isWithin(track.name, report.strings.size()) || !isWithin(track.unit, report.strings.size()) ||
            !isWithin(track.process, report.processes.size()) ||
            !isWithin(track.device, report.devices.size()) || track.shape > CounterShape::points ||
            track.firstSample != next) {
            return false;
        }
        next += track.sampleCount;
        if (next > report.counters.size()) return false;
        const auto first = report.counters.time_ns.begin() + track.firstSample;
        if (!std::is_sorted(first, first + track.sampleCount)) return false;
    }
    return next == report.counters.size();
}

bool trackRowsHold(const Report& report, const Track& track)
{
    const SliceTable& slices = report.slices;
    const uint32_t first = track.firstSlice.value;
    const auto texts = static_cast<uint32_t>(report.strings.size());
    bool good = true;
    for (uint32_t row = first; row < first + track.sliceCount; ++row) {
        const uint32_t parent = slices.parent[row].value;
        good &= isPlausible(slices.start_ns[row], slices.duration_ns[row]);
        good &= row == first || slices.start_ns[row - 1] <= slices.start_ns[row];
        good &= slices.name[row].value < texts;
        good &= parent == SliceId::kNone || (parent >= first && parent < row);
        good &= slices.depth[row] < track.depthCount;
        good &= slices.kind[row] < RowKind::count && slices.category[row] < SliceCategory::count;
    }
    return good;
}

bool slicesHold(const Report& report, const Workers& workers)
{
    const SliceTable& s = report.slices;
    if (!sameLength(s.start_ns, s.duration_ns, s.source, s.name, s.parent, s.depth, s.kind, s.category,
                    s.flags)) {
        return false;
    }
    if (!sameLength(report.counters.time_ns, report.counters.value) || !tracksHold(report)) return false;
    std::atomic<bool> good = true;
    workers.run(report.tracks.size(), [&](size_t track, size_t) {
        if (!trackRowsHold(report, report.tracks[track])) good = false;
    });
    return good;
}

bool sidesHold(const Report& report)
{
    const size_t rows = report.slices.size();
    const size_t texts = report.strings.size();
    const auto link = [&](const Link& l) {
        return l.cause.value < rows && l.effect.value < rows && l.kind <= LinkKind::recordWait;
    };
    const auto op = [&](const MemoryOp& m) { return m.slice.value < rows; };
    const auto color = [&](const auto& c) { return c.first.value < rows; };
    const auto shortName = [&](const auto& n) { return n.first.value < texts && n.second.value < texts; };
    const auto collective = [&](const CollectiveOp& c) {
        uint8_t flag = 0; // raw byte from the file, which must be checked before it is used as a bool
        std::memcpy(&flag, &c.isPointToPoint, sizeof flag);
        if (flag > 1) return false;
        const auto textHolds = [&](StringId id) { return !id.isValid() || id.value < texts; };
        return c.slice.value < rows && textHolds(c.collective) && textHolds(c.group) &&
               textHolds(c.groupRanks) && textHolds(c.dataType);
    };
    const auto round = [&](const ClockRound& r) {
        return isWithin(r.peer, texts) && isWithin(r.boot, texts) && isWithin(r.peerBoot, texts) &&
               isPlausibleRound(r);
    };
    return std::ranges::all_of(report.clockRounds, round) &&
           std::ranges::all_of(report.collectives, collective) &&
           std::ranges::is_sorted(report.collectives, {}, &CollectiveOp::slice) &&
           std::ranges::all_of(report.links.all(), link) && report.links.isInOrder() &&
           std::ranges::all_of(report.memoryOps, op) && std::ranges::all_of(report.colors, color) &&
           std::ranges::all_of(report.shortNames, shortName) &&
           std::ranges::is_sorted(report.memoryOps, {}, &MemoryOp::slice) &&
           std::ranges::is_sorted(report.colors) && std::ranges::is_sorted(report.shortNames);
}

bool segmentsHold(const MemorySnapshot& memory, size_t texts)
{
    const MemorySegmentTable& s = memory.segments;
    const MemoryBlockTable& b = memory.blocks;
    if (!sameLength(s.address, s.device, s.total_bytes, s.allocated_bytes, s.active_bytes, s.requested_bytes,
                    s.stream, s.pool, s.type, s.isExpandable, s.stack, s.firstBlock, s.blockCount)) {
        return false;
    }
    if (!sameLength(b.address, b.size_bytes, b.requested_bytes, b.state, b.stack)) return false;
    for (size_t i = 0; i < s.size(); ++i) {
        if (uint64_t(s.firstBlock[i]) + s.blockCount[i] > b.size()) return false;
    }
    const auto state = [](BlockState value) { return value < BlockState::count; };
    return allWithin(s.type, texts) && allWithin(s.stack, memory.stackCount()) &&
           allWithin(b.stack, memory.stackCount()) && std::ranges::all_of(b.state, state);
}

bool entriesHold(const MemorySnapshot& memory, size_t texts)
{
    const MemoryEntryTable& e = memory.entries;
    const size_t rows = e.size();
    if (!sameLength(e.address, e.device, e.action, e.size_bytes, e.stream, e.stack)) return false;
    const auto action = [](MemoryAction value) { return value < MemoryAction::count; };
    return sameLengthOrEmpty(e.time_ns, rows) && sameLengthOrEmpty(e.forwardStack, rows) &&
           sameLengthOrEmpty(e.userMetadata, rows) && sameLengthOrEmpty(e.compileContext, rows) &&
           sameLengthOrEmpty(e.pool, rows) && sameLengthOrEmpty(e.recorded_bytes, rows) &&
           sameLengthOrEmpty(e.reserved_bytes, rows) && std::ranges::all_of(e.action, action) &&
           allWithin(e.stack, memory.stackCount()) && allWithin(e.forwardStack, memory.stackCount()) &&
           allWithin(e.userMetadata, texts) && allWithin(e.compileContext, texts);
}

// Returns true if there are no subjects, or if there is one per device and the devices are sorted.
bool subjectsHold(const MemorySnapshot& memory, size_t processes)
{
    const MemorySubjectTable& p = memory.subjects;
    if (!sameLength(p.recorder, p.kind, p.ordinal, p.process, p.before)) return false;
    if (p.recorder.empty()) return true;
    const auto device = [&](int32_t number) { return std::ranges::binary_search(memory.devices, number); };
    const auto recorder = [](MemoryRecorder value) { return value < MemoryRecorder::count; };
    const auto kind = [](MemoryKind value) { return value <= MemoryKind::unknown; };
    return p.recorder.size() == memory.devices.size() && std::ranges::is_sorted(memory.devices) &&
           std::ranges::all_of(memory.entries.device, device) && std::ranges::all_of(p.recorder, recorder) &&
           std::ranges::all_of(p.kind, kind) && allWithin(p.process, processes) &&
           allWithin(p.before, memory.stackCount());
}

bool memoryHolds(const MemorySnapshot& memory, size_t texts, size_t processes)
{
    if (memory.stackBegin.empty() || memory.stackBegin.front() != 0 ||
        !std::ranges::is_sorted(memory.stackBegin) || memory.stackBegin.back() != memory.stackFrames.size()) {
        return false;
    }
    const auto frame = [&](const MemoryFrame& f) {
        return isWithin(f.function, texts) && isWithin(f.file, texts) && isWithin(f.graphNode, texts);
    };
    const auto known = [&](MemoryFrameId id) { return id.value < memory.frames.size(); };
    return std::ranges::all_of(memory.frames, frame) && std::ranges::all_of(memory.stackFrames, known) &&
           segmentsHold(memory, texts) && entriesHold(memory, texts) && subjectsHold(memory, processes);
}

} // namespace

Status checkReport(const Report& report, const Workers& workers)
{
    if (report.slices.size() >= SliceId::kNone)
        return makeError(ErrorKind::corrupt, "more slices than Lockstep can number");
    if (!entitiesHold(report))
        return makeError(ErrorKind::corrupt,
                         "a process, thread or device refers to an entry that does not exist");
    if (!slicesHold(report, workers))
        return makeError(ErrorKind::corrupt, "tracks, slices or counters are inconsistent");
    if (!sidesHold(report))
        return makeError(ErrorKind::corrupt, "links or details refer to slices that do not exist");
    if (report.memory && !memoryHolds(*report.memory, report.strings.size(), report.processes.size())) {
        return makeError(ErrorKind::corrupt, "the tables of the allocator snapshot are inconsistent");
    }
    return {};
}

} // namespace lockstep
