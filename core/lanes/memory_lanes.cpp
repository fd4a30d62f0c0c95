// SPDX-License-Identifier: Apache-2.0
// Builds the memory lanes, one per device. Part of ProcessLanesBuilder.
#include <algorithm>
#include <map>

#include "core/align/alignment.h"
#include "core/base/text.h"
#include "core/lanes/lane_label.h"
#include "core/lanes/lane_packing.h"
#include "core/lanes/memory_lanes.h"
#include "core/lanes/process_lanes_builder.h"

namespace lockstep {

namespace {

constexpr int64_t kIndexStep_ns = 1000; // length of an entry on the axis if there are no timestamps at all

// Returns the number of legend rows: reserved memory, and the categories that occur.
uint32_t legendRows(const std::vector<const DeviceMemory*>& devices)
{
    uint32_t rows = 1;
    for (size_t group = 0; group < kMemoryGroups; ++group) {
        const auto isThere = [group](const DeviceMemory* of) { return of->byCategory.most()[group] > 0; };
        if (std::ranges::any_of(devices, isThere)) ++rows;
    }
    return rows;
}

} // namespace

TimeRange axisOf(const Workspace& workspace, const Alignment& alignment)
{
    const TimeRange timed = alignment.extent(workspace);
    if (!timed.isEmpty()) return timed;
    int64_t entries = -1;
    for (const ReportKey key : workspace.keys()) {
        const auto& memory = workspace.report(key).memory;
        if (memory) entries = std::max(entries, static_cast<int64_t>(memory->entries.size()));
    }
    return entries < 0 ? timed : TimeRange{{0}, {(entries + 1) * kIndexStep_ns}};
}

// Returns the aligned range over which a history without timestamps is spread.
TimeRange ProcessLanesBuilder::indexExtent() const
{
    TimeRange known;
    for (const Member& member : members()) {
        if (!member.report->extent.isEmpty())
            known = known.unitedWith(member.map.alignedFromTrace(member.report->extent));
    }
    return known.isEmpty() ? source().axis : known;
}

RowSource ProcessLanesBuilder::memorySource(const MemberMemory& of) const
{
    const Member& member = *of.member;
    RowSource source{.kind = RowSource::Kind::memory, .report = member.key, .memoryDevice = of.device};
    const ReportMemory& memory = *member.lod->memory();
    const MemoryAxis axis = memory.axis(of.device, {});
    if (axis.isByIndex()) {
        source.extent = member.map.traceFromAligned(indexExtent());
    } else {
        // The last level applies until the end of the report.
        const TraceTime last = axis.timeOf(axis.device.lastMoment());
        source.extent = {axis.timeOf(0), std::max(last + Duration{1}, member.report->extent.end)};
    }
    return source;
}

MemorySubject ProcessLanesBuilder::subjectOf(const MemberMemory& of) const
{
    return of.member->report->memory->subjectOf(of.member->lod->memory()->replay.devices[of.device].device);
}

// If several files record the same memory at the same time, the most detailed one is shown. A note lists the
// others.
void ProcessLanesBuilder::dropLessDetailed(std::vector<RowSource>& sources, std::string& note) const
{
    const auto snapshotOf = [&](const RowSource& s) -> const MemorySnapshot& {
        return *memberOf(s).report->memory;
    };
    const auto recordingOfSource = [&](const RowSource& s) -> const MemoryRecording& {
        return snapshotOf(s).recording(memberOf(s).lod->memory()->replay.devices[s.memoryDevice].device);
    };
    const auto isTimed = [&](const RowSource& s) { return !snapshotOf(s).entries.time_ns.empty(); };
    const auto richerThan = [&](const RowSource& s) {
        return std::ranges::find_if(sources, [&](const RowSource& other) {
            return isTimed(other) && recordingOfSource(other).detail > recordingOfSource(s).detail &&
                   !alignedExtent(other).clippedTo(alignedExtent(s)).isEmpty();
        });
    };
    std::vector<RowSource> kept;
    for (const RowSource& source : sources) {
        const auto richer = isTimed(source) ? richerThan(source) : sources.end();
        if (richer == sources.end()) {
            kept.push_back(source);
            continue;
        }
        note += (note.empty() ? "" : "\n") + std::string("shown: ") +
                memberOf(*richer).report->provenance.path.filename().string() + ", " +
                std::string(recordingOfSource(*richer).name) + ". " +
                memberOf(source).report->provenance.path.filename().string() + " also covers this memory (" +
                std::string(recordingOfSource(source).name) + "); see the Memory panel";
    }
    sources = std::move(kept);
}

void ProcessLanesBuilder::addMemory(uint32_t parent, const std::vector<MemberMemory>& devices,
                                    const std::string& name)
{
    // Consecutive snapshots share a lane; snapshots that overlap in time have separate lanes.
    std::vector<RowSource> sources;
    std::vector<LaneBlock> blocks;
    std::string others;
    for (const MemberMemory& of : devices)
        sources.push_back(memorySource(of));
    dropLessDetailed(sources, others);
    for (const RowSource& source : sources)
        blocks.push_back({alignedExtent(source), 1, 0});
    const uint32_t rowRanges = packBlocks(blocks);
    for (uint32_t rowRange = 0; rowRange < rowRanges; ++rowRange) {
        std::vector<RowSource> ofRowRange;
        for (size_t i = 0; i < sources.size(); ++i) {
            if (blocks[i].row == rowRange) ofRowRange.push_back(sources[i]);
        }
        std::string label = name;
        if (rowRanges > 1)
            appendLabelPart(label, memberOf(ofRowRange.front()).report->provenance.path.stem().string());
        addMemoryLane(parent, label, std::move(ofRowRange), others);
    }
}

void ProcessLanesBuilder::addGpuMemory(uint32_t parent, const std::vector<MemberMemory>& devices)
{
    std::map<MemoryKind, std::vector<MemberMemory>> byKind;
    for (const MemberMemory& of : devices)
        byKind[subjectOf(of).kind].push_back(of);
    for (const auto& [kind, ofKind] : byKind) {
        const MemorySubject subject{MemoryRecorder::allocator, kind, -1, {}};
        addMemory(parent, ofKind, kind == MemoryKind::device ? "memory" : memorySubjectName(subject));
    }
}

void ProcessLanesBuilder::addOtherMemory(const std::vector<MemberMemory>& devices)
{
    using Subject = std::pair<int32_t, MemoryKind>; // host memory comes first
    std::map<Subject, std::vector<MemberMemory>> bySubject;
    for (const MemberMemory& of : devices) {
        const MemorySubject subject = subjectOf(of);
        bySubject[{subject.ordinal, subject.kind}].push_back(of);
    }
    for (const auto& [of, ofSubject] : bySubject) {
        const auto& [ordinal, kind] = of;
        const MemorySubject subject{MemoryRecorder::allocator, kind, ordinal, {}};
        addMemory(0, ofSubject,
                  kind == MemoryKind::device && ordinal >= 0 ? "memory of device " + std::to_string(ordinal)
                  : kind == MemoryKind::pinned               ? "host memory"
                  : kind == MemoryKind::pageable             ? "CPU memory"
                  : kind == MemoryKind::device               ? "memory"
                                                             : memorySubjectName(subject));
    }
}

void ProcessLanesBuilder::addMemoryLane(uint32_t parent, const std::string& name,
                                        std::vector<RowSource> sources, const std::string& others)
{
    std::ranges::stable_sort(sources, {}, [&](const RowSource& s) { return alignedExtent(s).begin; });
    const uint32_t index = add(LaneSubject::other, parent, name, name);
    Lane& lane = at(index);
    std::vector<const DeviceMemory*> devices;
    int64_t most = 0, reserved = 0;
    for (const RowSource& source : sources) {
        const Member& member = memberOf(source);
        const ReportMemory& memory = *member.lod->memory();
        const MemorySnapshot& replayed = *memory.replay.snapshot;
        const DeviceReplay& device = memory.replay.devices[source.memoryDevice];
        devices.push_back(&memory.devices[source.memoryDevice]);
        most = std::max(most, device.peaks.active.levels.active);
        reserved = std::max(reserved, device.peaks.reserved.levels.reserved);
        std::string note;
        if (device.rows.empty()) {
            note = "state at the dump: the file has no history for this device";
        } else if (memory.axis(source.memoryDevice, {}).isByIndex()) {
            note = "by index: the file has no times. Its entries are spread evenly over the time of the "
                   "process's other files, or of all files; without any times, one microsecond per "
                   "entry. Slices above them did not necessarily run at the same time";
        }
        for (const ImportNote& defect : memory.replay.notes.all())
            note += (note.empty() ? "" : "\n") + defect.text + " (" +
                    groupedText(static_cast<int64_t>(defect.count)) + ")";
        if (!note.empty()) lane.note += (lane.note.empty() ? "" : "\n") + memberNote(member, note);
        const bool isTimed = !memory.axis(source.memoryDevice, {}).isByIndex();
        if (!isTimed && devices.size() == 1)
            appendLabelPart(lane.label, device.rows.empty() ? "dump" : "by index");
        const std::string remark(replayed.recording(device.device).remark);
        if (!remark.empty() && devices.size() == 1) {
            appendLabelPart(lane.label, remark);
            lane.note +=
                (lane.note.empty() ? "" : "\n") + std::string(replayed.recording(device.device).explanation);
        }
    }
    if (!others.empty()) lane.note += (lane.note.empty() ? "" : "\n") + others;
    lane.report = sources.front().report;
    lane.rowCount = legendRows(devices);
    lane.startsCollapsed = source().foldsThreads; // true if there are many processes
    lane.isFoldable = true;
    lane.data.set(MemoryLaneData{static_cast<double>(std::max(most, reserved))});
    lane.value = byteText(most);
    lane.sources = std::move(sources);
}

} // namespace lockstep
