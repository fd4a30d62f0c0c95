// SPDX-License-Identifier: Apache-2.0
// The lanes of memory, one a device and what the files say of it. Part of ProcessLanesBuilder.
#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/lanes/lane_label.h"
#include "core/lanes/lane_shelves.h"
#include "core/lanes/process_lanes_builder.h"

namespace lockstep {

namespace {

constexpr int64_t kIndexStep_ns = 1000; // an entry, where nothing has a time

// How many rows the legend has: what is reserved, and the categories that there ever are.
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

// Aligned: what a history without times is spread over.
TimeRange ProcessLanesBuilder::indexExtent() const
{
    TimeRange known;
    for (const Member& member : members()) {
        if (!member.report->extent.isEmpty())
            known = known.unitedWith(member.map.alignedFromTrace(member.report->extent));
    }
    return known.isEmpty() ? m_out->source().axis : known;
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
        // A level holds until the report ends.
        const TraceTime last = axis.timeOf(axis.device.lastMoment());
        source.extent = {axis.timeOf(0), std::max(last + Duration{1}, member.report->extent.end)};
    }
    return source;
}

void ProcessLanesBuilder::addMemory(uint32_t parent, const std::vector<MemberMemory>& devices,
                                    const std::string& name)
{
    // Snapshots that come one after another share a lane; of those that overlap in time each has its own.
    std::vector<RowSource> sources;
    std::vector<LaneBlock> blocks;
    for (const MemberMemory& of : devices) {
        sources.push_back(memorySource(of));
        blocks.push_back({alignedExtent(sources.back()), 1, 0});
    }
    const uint32_t shelves = shelveBlocks(blocks);
    for (uint32_t shelf = 0; shelf < shelves; ++shelf) {
        std::vector<RowSource> ofShelf;
        for (size_t i = 0; i < sources.size(); ++i) {
            if (blocks[i].row == shelf) ofShelf.push_back(sources[i]);
        }
        std::string label = name;
        if (shelves > 1) appendWord(label, memberOf(ofShelf.front()).report->provenance.path.stem().string());
        addMemoryLane(parent, label, std::move(ofShelf));
    }
}

void ProcessLanesBuilder::addOtherMemory(const std::vector<MemberMemory>& devices)
{
    std::map<int32_t, std::vector<MemberMemory>> byNumber; // the host's first
    for (const MemberMemory& of : devices)
        byNumber[of.member->lod->memory()->replay.devices[of.device].device].push_back(of);
    for (const auto& [number, ofNumber] : byNumber)
        addMemory(0, ofNumber,
                  number == kHostMemory ? "host memory" : "memory of device " + std::to_string(number));
}

void ProcessLanesBuilder::addMemoryLane(uint32_t parent, const std::string& name,
                                        std::vector<RowSource> sources)
{
    std::ranges::stable_sort(sources, {}, [&](const RowSource& s) { return alignedExtent(s).begin; });
    const uint32_t index = add(LaneSubject::memory, parent, name, name);
    Lane& lane = at(index);
    std::vector<const DeviceMemory*> devices;
    int64_t most = 0, reserved = 0;
    for (const RowSource& source : sources) {
        const Member& member = memberOf(source);
        const ReportMemory& memory = *member.lod->memory();
        const DeviceReplay& device = memory.replay.devices[source.memoryDevice];
        devices.push_back(&memory.devices[source.memoryDevice]);
        most = std::max(most, device.peaks.active.levels.active);
        reserved = std::max(reserved, device.peaks.reserved.levels.reserved);
        std::string note;
        if (device.rows.empty()) {
            note = "the state at the dump: the file holds no history of this device";
        } else if (memory.axis(source.memoryDevice, {}).isByIndex()) {
            note =
                "by index: the file has no times. Its entries are spread evenly over what the process' other "
                "files, or all files, show; where nothing has a time, a microsecond each. What stands above "
                "them need not have run then";
        }
        for (const ImportNote& flaw : memory.replay.notes.all())
            note += (note.empty() ? "" : "\n") + flaw.text + " (" +
                    groupedText(static_cast<int64_t>(flaw.count)) + ")";
        if (!note.empty()) lane.note += (lane.note.empty() ? "" : "\n") + told(member, note);
        const bool isTimed = !memory.axis(source.memoryDevice, {}).isByIndex();
        if (!isTimed && devices.size() == 1)
            appendWord(lane.label, device.rows.empty() ? "dump" : "by index");
    }
    lane.report = sources.front().report;
    lane.rowCount = legendRows(devices);
    lane.startsCollapsed = m_out->source().foldsThreads; // of many processes
    lane.counterHigh = static_cast<double>(std::max(most, reserved));
    lane.value = byteText(most);
    lane.sources = std::move(sources);
}

} // namespace lockstep
